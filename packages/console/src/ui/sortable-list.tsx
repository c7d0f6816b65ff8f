import { GripVertical } from 'lucide-react';
import {
  type ComponentProps,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useRef,
  useState,
} from 'react';
import { joinClassNames } from './class-names.ts';
import { findNearestRowIndex, moveItem } from './reorder.ts';
import { useIncrementalRows } from './use-incremental-rows.ts';

/**
 * Renders a list that the user can reorder by dragging the handle of an item or with the keyboard: Space
 * lifts the item, arrow keys move it, Space drops it, and Escape cancels. Alt with an arrow key moves the
 * item immediately. Screen readers announce the moves. In a long list, more rows are rendered on scroll.
 */
export function SortableList<Item>({
  label,
  items,
  itemKey,
  nameOf,
  onChange,
  children,
}: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly itemKey: (item: Item) => string;
  /** Name of the item for announcements, such as `openai/gpt-5`. */
  readonly nameOf: (item: Item) => string;
  readonly onChange: (items: readonly Item[]) => void;
  readonly children: (item: Item, index: number) => ReactNode;
}) {
  const [said, setSaid] = useState('');
  const { shown, rest, reveal } = useIncrementalRows(items.length);
  const lift = useLift({ items, nameOf, onChange, say: setSaid, reveal });
  const { list, lifted, press, grab, follow, drop } = lift;
  return (
    <>
      <ol ref={list} aria-label={label} className="grid gap-1.5">
        {items.slice(0, shown).map((item, index) => (
          <li
            key={itemKey(item)}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className={joinClassNames(
              'flex min-w-0 items-center gap-1 rounded-control border bg-surface py-1 pr-2 pl-1',
              lifted?.at === index ? 'border-accent shadow-popover' : 'border-line',
            )}
          >
            <Handle
              label={`Move ${nameOf(item)}, position ${index + 1} of ${items.length}`}
              isLifted={lifted?.at === index}
              onKeyDown={(event) => press(event, index)}
              onPointerDown={(event) => grab(event, index)}
              onPointerMove={follow}
              onPointerUp={drop}
              onPointerCancel={drop}
            />
            <span className="w-5 shrink-0 text-right text-small text-ink-3 figures">{index + 1}</span>
            <div className="min-w-0 flex-1 pl-1">{children(item, index)}</div>
          </li>
        ))}
        {rest && <li aria-hidden="true" ref={rest.ref} style={{ height: rest.height }} />}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
    </>
  );
}

function Handle({
  label,
  isLifted,
  ...props
}: ComponentProps<'button'> & { readonly label: string; readonly isLifted: boolean }) {
  return (
    <button
      type="button"
      {...props}
      aria-label={label}
      aria-pressed={isLifted}
      className="grid size-8 shrink-0 cursor-grab touch-none place-items-center rounded-tag text-ink-3 hover:bg-hover disabled:cursor-not-allowed disabled:text-ink-off pointer-coarse:size-11"
    >
      <GripVertical size={16} strokeWidth={1.75} aria-hidden="true" />
    </button>
  );
}

interface Lifted<Item> {
  readonly at: number;
  readonly before: readonly Item[];
}

/** Manages the lifted item and its keyboard and pointer events. */
function useLift<Item>({
  items,
  nameOf,
  onChange,
  say,
  reveal,
}: {
  readonly items: readonly Item[];
  readonly nameOf: (item: Item) => string;
  readonly onChange: (items: readonly Item[]) => void;
  readonly say: (text: string) => void;
  /** Ensures that the row at an index is rendered. */
  readonly reveal: (place: number) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const [lifted, setLifted] = useState<Lifted<Item> | null>(null);
  const name = (index: number) => (items[index] === undefined ? '' : nameOf(items[index]));

  function move(from: number, to: number): number {
    const place = Math.max(0, Math.min(items.length - 1, to));
    if (place === from) return from;
    say(`${name(from)}, position ${place + 1} of ${items.length}`);
    onChange(moveItem(items, from, place));
    reveal(place);
    // The pressed handle moved with its row, so focus it again.
    requestAnimationFrame(() =>
      list.current?.querySelectorAll('li')[place]?.querySelector('button')?.focus(),
    );
    return place;
  }

  function press(event: KeyboardEvent, index: number) {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (event.key === ' ' || event.key === 'Enter') {
      setLifted(lifted ? null : { at: index, before: items });
      say(lifted ? `${name(index)} dropped at position ${index + 1}` : `${name(index)} picked up`);
    } else if (event.key === 'Escape' && lifted) {
      onChange(lifted.before);
      setLifted(null);
      say(`${name(index)} returned to its original position`);
    } else if (step !== 0 && (lifted || event.altKey)) {
      const at = move(index, index + step);
      if (lifted) setLifted({ ...lifted, at });
    } else return;
    event.preventDefault();
  }

  function grab(event: PointerEvent<HTMLButtonElement>, index: number) {
    event.currentTarget.setPointerCapture(event.pointerId);
    setLifted({ at: index, before: items });
  }
  function follow(event: PointerEvent) {
    if (!lifted || event.buttons === 0) return;
    const to = findNearestRowIndex(middlesOf(list.current), event.clientY);
    if (to !== lifted.at) setLifted({ ...lifted, at: move(lifted.at, to) });
  }
  return { list, lifted, press, grab, follow, drop: () => setLifted(null) };
}

/** Returns the vertical middle of each row, in pixels from the top of the window. */
function middlesOf(list: HTMLElement | null): number[] {
  return [...(list?.querySelectorAll('li:not([aria-hidden])') ?? [])].map((row) => {
    const { top, height } = row.getBoundingClientRect();
    return top + height / 2;
  });
}
