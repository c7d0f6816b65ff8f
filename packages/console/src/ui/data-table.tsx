import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { cx } from './class-names.ts';
import { useMedia } from './media.ts';
import { type Column, nextSort, type Sort } from './table-columns.ts';
import { TableRow } from './table-row.tsx';

export interface DataTableProps<Row> {
  /** What the list holds, for screen readers: `Requests`. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /** The two-line card that stands for a row on a phone. */
  readonly card: (row: Row) => ReactNode;
  readonly onOpen?: (row: Row) => void;
  /** The row whose drawer is open. */
  readonly openId?: string | null;
  readonly sort?: Sort | null;
  readonly onSort?: (sort: string | null) => void;
  /** Called when the last rows come into view. */
  readonly onEnd?: () => void;
  /** Rows in all where it is known, else null. */
  readonly total?: number | null;
  /** An answer for other filters is on its way: what is shown is dimmed. */
  readonly stale?: boolean;
}

/**
 * A list of any length: only what is in view is in the document. One Tab stop; arrows, Page keys, Home and End move,
 * Enter opens. It scrolls with the page (`[data-scroll]`), so that what stands above it goes away.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, rowId, card, onOpen, openId, total = null, stale = false } = props;
  const columns = useSame(props.columns);
  const phone = useMedia('(width < 48rem)');
  const { body, virtual, top, rowPx, cursor, setCursor, move } = useRows(props, phone);
  const tracks = columns.map(({ width }) => width).join(' ');
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows that are out of view are not there; a table element would lie about them.
    <div
      role="table"
      aria-label={label}
      aria-rowcount={total ?? -1}
      aria-busy={stale}
      className={cx('relative bg-surface', stale && 'opacity-60')}
    >
      {stale && <div className="absolute inset-x-0 top-0 z-20 h-0.5 animate-pulse bg-accent" />}
      {!phone && <Head {...props} tracks={tracks} />}
      {/* biome-ignore lint/a11y/useSemanticElements: see above. */}
      <div
        ref={body}
        role="rowgroup"
        onKeyDown={move}
        style={{ height: virtual.getTotalSize(), position: 'relative' }}
      >
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return (
            row && (
              <TableRow
                key={key}
                row={row}
                id={rowId(row)}
                index={index}
                phone={phone}
                tracks={tracks}
                columns={columns}
                card={card}
                open={openId === rowId(row)}
                onOpen={onOpen}
                focusable={index === Math.min(cursor, rows.length - 1)}
                onFocus={() => setCursor(index)}
                place={{ height: rowPx, transform: `translateY(${start - top}px)` }}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** Which rows are in the document, which one has the focus, and what keys do. */
function useRows<Row>(props: DataTableProps<Row>, phone: boolean) {
  const { rows, rowId, onOpen, onEnd } = props;
  const body = useRef<HTMLDivElement>(null);
  const rowPx = useRowHeight(phone);
  const [cursor, setCursor] = useState(0);
  const top = useTop(body, props);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller(body.current),
    estimateSize: () => rowPx,
    scrollMargin: top,
    overscan: 8,
    getItemKey: (index) => (rows[index] ? rowId(rows[index]) : index),
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), cursor])]
        .filter((row) => row < rows.length)
        .sort((a, b) => a - b),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of density or width is what makes rows higher.
  useEffect(() => virtual.measure(), [rowPx]);
  const last = virtual.getVirtualItems().at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - 30 && rows.length > 0) onEnd?.();
  }, [last, rows.length, onEnd]);

  function move(event: KeyboardEvent) {
    const to = target(event.key, cursor, rows.length);
    const row = rows[cursor];
    if (event.key === 'Enter' && row && event.target instanceof HTMLElement && event.target.role === 'row')
      onOpen?.(row);
    else if (to !== null) {
      event.preventDefault();
      setCursor(to);
      virtual.scrollToIndex(to);
      requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-index="${to}"]`)?.focus());
    }
  }

  return { body, virtual, top, rowPx, cursor, setCursor, move };
}

function Head<Row>({
  columns,
  sort = null,
  onSort,
  tracks,
}: DataTableProps<Row> & { readonly tracks: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the table above.
    // biome-ignore lint/a11y/useFocusableInteractive: its cells hold what can be used.
    <div
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: tracks }}
      className="sticky top-0 z-10 grid h-8 items-center gap-x-6 border-y border-line bg-surface px-4 text-label text-ink-2 md:px-6"
    >
      {columns.map(({ id, label, align, value }) => {
        const on = sort?.column === id;
        const Arrow = sort?.descending ? ArrowDown : ArrowUp;
        return (
          // biome-ignore lint/a11y/useSemanticElements: part of the table above.
          // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus.
          <div
            key={id}
            role="columnheader"
            {...(on ? { 'aria-sort': sort.descending ? 'descending' : 'ascending' } : {})}
            className={cx('truncate', align && 'text-right')}
          >
            {value && onSort ? (
              <button
                type="button"
                onClick={() => onSort(nextSort(sort, id))}
                className="inline-flex h-6 items-center gap-1 rounded-tag hover:text-ink"
              >
                {label}
                {on && <Arrow size={12} aria-hidden="true" />}
              </button>
            ) : (
              label
            )}
          </div>
        );
      })}
    </div>
  );
}

/** The list that was given before, while its members are the same: a page picks its columns anew each time it draws. */
function useSame<One>(list: readonly One[]): readonly One[] {
  const kept = useRef(list);
  const before = kept.current;
  if (before.length !== list.length || before.some((one, index) => one !== list[index])) kept.current = list;
  return kept.current;
}

/** Where a key leads from a row; null when it is no key of ours. */
function target(key: string, from: number, rows: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + 15,
    PageUp: from - 15,
    Home: 0,
    End: rows - 1,
  };
  const to = steps[key];
  return to === undefined ? null : Math.max(0, Math.min(rows - 1, to));
}

function scroller(element: HTMLElement | null): HTMLElement | null {
  return element?.closest<HTMLElement>('[data-scroll]') ?? null;
}

/**
 * Where the rows begin, measured when the page draws or something above changes its size, and not with every step of
 * scrolling: each measure has the whole page laid out.
 */
function useTop(body: RefObject<HTMLDivElement | null>, drawn: object): number {
  const [top, setTop] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other props say that the page drew itself anew.
  useLayoutEffect(() => setTop(offsetIn(body.current)), [body, drawn]);
  useEffect(() => {
    const resized = new ResizeObserver(() => setTop(offsetIn(body.current)));
    for (const part of scroller(body.current)?.children ?? []) resized.observe(part);
    return () => resized.disconnect();
  }, [body]);
  return top;
}

/** How far below the top of what scrolls. */
function offsetIn(element: HTMLElement | null): number {
  const frame = scroller(element);
  if (!element || !frame) return 0;
  return Math.round(
    element.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop,
  );
}

/** The height of a row in pixels: of the density, and of a card on a phone. */
function useRowHeight(phone: boolean): number {
  const coarse = useMedia('(pointer: coarse)');
  const comfortable = document.documentElement.dataset['density'] === 'comfortable';
  // Asked once: with every step of scrolling it would have all styles worked out in between.
  const rem = useMemo(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16, []);
  return Math.round((phone ? 3.75 : coarse ? 3 : comfortable ? 2.75 : 2.25) * rem);
}
