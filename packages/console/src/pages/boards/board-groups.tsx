import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { rowKey } from '../../data/row-key.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { moveItem } from '../../ui/reorder.ts';
import { SortList } from '../../ui/sort-list.tsx';
import { MonitorCombobox, useMonitorNames } from '../monitors/monitor-combobox.tsx';
import { type BoardGroupForm, updateBoardGroup } from './board-form.ts';

/** Groups and the monitors in them, in order. */
export function BoardGroups({
  groups,
  onChange,
}: {
  readonly groups: readonly BoardGroupForm[];
  readonly onChange: (groups: readonly BoardGroupForm[]) => void;
}) {
  const [said, setSaid] = useState('');
  const move = (from: number, to: number) => {
    setSaid(`${groups[from]?.name}, position ${to + 1} of ${groups.length}`);
    onChange(moveItem(groups, from, to));
  };
  return (
    <div className="grid gap-3">
      <span role="status" className="sr-only">
        {said}
      </span>
      {groups.map((group, at) => (
        <section key={group.key} className="rounded-card border border-line bg-surface p-3">
          <div className="flex items-end gap-1">
            <div className="min-w-0 flex-1">
              <Field label={`Group ${at + 1}`}>
                <Input
                  value={group.name}
                  onChange={({ target }) =>
                    onChange(updateBoardGroup(groups, group.key, { name: target.value }))
                  }
                />
              </Field>
            </div>
            <IconButton
              icon={ArrowUp}
              label={`Move ${group.name} up`}
              disabled={at === 0}
              onClick={() => move(at, at - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={`Move ${group.name} down`}
              disabled={at === groups.length - 1}
              onClick={() => move(at, at + 1)}
            />
            <IconButton
              icon={X}
              label={`Remove the group ${group.name}`}
              onClick={() => onChange(groups.filter(({ key }) => key !== group.key))}
            />
          </div>
          <GroupMonitors
            group={group}
            onChange={(monitors) => onChange(updateBoardGroup(groups, group.key, { monitors }))}
          />
        </section>
      ))}
      <div>
        <Button icon={Plus} onClick={() => onChange([...groups, newGroup()])}>
          Add a group
        </Button>
      </div>
    </div>
  );
}

function newGroup(): BoardGroupForm {
  return { key: rowKey(), name: 'New group', monitors: [] };
}

function GroupMonitors({
  group,
  onChange,
}: {
  readonly group: BoardGroupForm;
  readonly onChange: (ids: readonly string[]) => void;
}) {
  const ids = group.monitors;
  const nameOf = useMonitorNames(ids);
  return (
    <div className="mt-3 grid gap-3">
      <SortList
        label={`Monitors of ${group.name}, in order`}
        items={ids}
        itemKey={(id) => id}
        nameOf={nameOf}
        onChange={onChange}
      >
        {(id) => (
          <span className="flex items-center gap-1">
            <span className="min-w-0 flex-1 truncate text-ui">{nameOf(id)}</span>
            <IconButton
              icon={X}
              label={`Take ${nameOf(id)} off the board`}
              onClick={() => onChange(ids.filter((one) => one !== id))}
            />
          </span>
        )}
      </SortList>
      <Field label={`Add a monitor to ${group.name}`}>
        <MonitorCombobox
          chosen={ids}
          placeholder="Name of a monitor"
          onAdd={(id) => onChange([...ids, id])}
        />
      </Field>
    </div>
  );
}
