import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, GripVertical, Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { monitorChoicesQuery } from '../monitors/monitor-data.ts';
import { type BoardGroup, moved, withGroup } from './board-form.ts';

/** Groups and the monitors in them, in order. */
export function BoardGroups({
  groups,
  onChange,
}: {
  readonly groups: readonly BoardGroup[];
  readonly onChange: (groups: readonly BoardGroup[]) => void;
}) {
  const [said, setSaid] = useState('');
  const move = (from: number, to: number) => {
    const after = moved(groups, from, to);
    if (after === groups) return;
    setSaid(`${groups[from]?.name}, position ${to + 1} of ${groups.length}`);
    onChange(after);
  };
  return (
    <div className="grid gap-3">
      <span role="status" className="sr-only">
        {said}
      </span>
      {groups.map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a group is its place; its name is being typed.
        <section key={at} className="rounded-card border border-line bg-surface p-3">
          <div className="flex items-end gap-1">
            <div className="min-w-0 flex-1">
              <Field label={`Group ${at + 1}`}>
                <Input
                  value={group.name}
                  onChange={({ target }) => onChange(withGroup(groups, at, { name: target.value }))}
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
              onClick={() => onChange(groups.filter((_, index) => index !== at))}
            />
          </div>
          <MonitorsOf
            group={group}
            onChange={(monitors) => onChange(withGroup(groups, at, { monitors }))}
            onMoved={setSaid}
          />
        </section>
      ))}
      <div>
        <Button icon={Plus} onClick={() => onChange([...groups, { name: 'New group', monitors: [] }])}>
          Add a group
        </Button>
      </div>
    </div>
  );
}

function MonitorsOf({
  group,
  onChange,
  onMoved,
}: {
  readonly group: BoardGroup;
  readonly onChange: (ids: readonly string[]) => void;
  readonly onMoved: (said: string) => void;
}) {
  const monitors = useQuery(monitorChoicesQuery).data?.data ?? [];
  const nameOf = (id: string) => monitors.find((one) => one.id === id)?.name ?? id;
  const ids = group.monitors;
  const [dragged, setDragged] = useState<number | null>(null);
  const move = (from: number, to: number) => {
    const after = moved(ids, from, to);
    if (after === ids) return;
    onMoved(`${nameOf(ids[from] ?? '')}, position ${to + 1} of ${ids.length}`);
    onChange(after);
  };
  return (
    <>
      <ol className="mt-2 grid gap-px">
        {ids.map((id, at) => (
          <DragRow
            key={id}
            dragged={dragged === at}
            onLift={() => setDragged(at)}
            onOver={() => {
              if (dragged === null || dragged === at) return;
              move(dragged, at);
              setDragged(at);
            }}
            onDrop={() => setDragged(null)}
          >
            <span className="min-w-0 flex-1 truncate text-ui">{nameOf(id)}</span>
            <IconButton
              icon={ArrowUp}
              label={`Move ${nameOf(id)} up`}
              disabled={at === 0}
              onClick={() => move(at, at - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={`Move ${nameOf(id)} down`}
              disabled={at === ids.length - 1}
              onClick={() => move(at, at + 1)}
            />
            <IconButton
              icon={X}
              label={`Take ${nameOf(id)} off the board`}
              onClick={() => onChange(ids.filter((one) => one !== id))}
            />
          </DragRow>
        ))}
      </ol>
      <div className="mt-2">
        <Field label={`Add a monitor to ${group.name}`}>
          <Combobox
            choices={monitors
              .filter(({ id }) => !ids.includes(id))
              .map(({ id, name }) => ({ value: id, label: name }))}
            value=""
            placeholder="Name of a monitor"
            onChange={(id) => onChange([...ids, id])}
          />
        </Field>
      </div>
    </>
  );
}

/** A row that a pointer drags; the keyboard has its buttons. */
function DragRow({
  dragged,
  onLift,
  onOver,
  onDrop,
  children,
}: {
  readonly dragged: boolean;
  readonly onLift: () => void;
  readonly onOver: () => void;
  readonly onDrop: () => void;
  readonly children: ReactNode;
}) {
  return (
    <li
      draggable
      onDragStart={onLift}
      onDragOver={(event) => {
        event.preventDefault();
        onOver();
      }}
      onDragEnd={onDrop}
      className={cx(
        'flex items-center gap-1 rounded-control border border-transparent pl-1',
        dragged ? 'border-accent-line bg-accent-tint' : 'hover:bg-hover',
      )}
    >
      <GripVertical size={16} aria-hidden="true" className="cursor-grab text-ink-3" />
      {children}
    </li>
  );
}
