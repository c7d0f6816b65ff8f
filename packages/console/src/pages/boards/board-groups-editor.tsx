import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { createRowKey } from '../../data/row-key.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { moveItem } from '../../ui/reorder.ts';
import { SortableList } from '../../ui/sortable-list.tsx';
import { MonitorCombobox, useMonitorNames } from '../monitors/monitor-combobox.tsx';
import { type BoardGroupFormValues, updateBoardGroup } from './board-form.ts';
import { boardsText } from './text.ts';

/** Renders an editor for the groups of a board, the monitors in each group, and their order. */
export function BoardGroupsEditor({
  groups,
  onChange,
}: {
  readonly groups: readonly BoardGroupFormValues[];
  readonly onChange: (groups: readonly BoardGroupFormValues[]) => void;
}) {
  const [announcement, setAnnouncement] = useState('');
  const move = (from: number, to: number) => {
    setAnnouncement(boardsText.groups.moved(groups[from]?.name ?? '', to + 1, groups.length));
    onChange(moveItem(groups, from, to));
  };
  const update = (key: string, change: Partial<BoardGroupFormValues>) =>
    onChange(updateBoardGroup(groups, key, change));
  return (
    <div className="grid gap-3">
      <span role="status" className="sr-only">
        {announcement}
      </span>
      {groups.map((group, at) => (
        <section key={group.key} className="rounded-card border border-line bg-surface p-3">
          <div className="flex items-end gap-1">
            <div className="min-w-0 flex-1">
              <Field label={boardsText.groups.label(at + 1)}>
                <Input
                  value={group.name}
                  onChange={({ target }) => update(group.key, { name: target.value })}
                />
              </Field>
            </div>
            <IconButton
              icon={ArrowUp}
              label={boardsText.groups.moveUp(group.name)}
              disabled={at === 0}
              onClick={() => move(at, at - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={boardsText.groups.moveDown(group.name)}
              disabled={at === groups.length - 1}
              onClick={() => move(at, at + 1)}
            />
            <IconButton
              icon={X}
              label={boardsText.groups.remove(group.name)}
              onClick={() => onChange(groups.filter(({ key }) => key !== group.key))}
            />
          </div>
          <GroupMonitors group={group} onChange={(monitors) => update(group.key, { monitors })} />
        </section>
      ))}
      <div>
        <Button icon={Plus} onClick={() => onChange([...groups, newGroup()])}>
          {boardsText.groups.add}
        </Button>
      </div>
    </div>
  );
}

function newGroup(): BoardGroupFormValues {
  return { key: createRowKey(), name: boardsText.groups.newName, monitors: [] };
}

function GroupMonitors({
  group,
  onChange,
}: {
  readonly group: BoardGroupFormValues;
  readonly onChange: (ids: readonly string[]) => void;
}) {
  const ids = group.monitors;
  const nameOf = useMonitorNames(ids);
  return (
    <div className="mt-3 grid gap-3">
      <SortableList
        label={boardsText.groups.monitors(group.name)}
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
              label={boardsText.groups.removeMonitor(nameOf(id))}
              onClick={() => onChange(ids.filter((one) => one !== id))}
            />
          </span>
        )}
      </SortableList>
      <Field label={boardsText.groups.addMonitor(group.name)}>
        <MonitorCombobox
          chosen={ids}
          placeholder={boardsText.groups.monitorPlaceholder}
          onAdd={(id) => onChange([...ids, id])}
        />
      </Field>
    </div>
  );
}
