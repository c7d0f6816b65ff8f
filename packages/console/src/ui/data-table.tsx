import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useValueEffect } from '../data/use-value-effect.ts';
import { joinClassNames } from './class-names.ts';
import {
  getNextSortParameter,
  selectFittingColumns,
  type TableColumn,
  type TableSort,
} from './table-columns.ts';
import {
  findNextRowForKey,
  findRowIndex,
  findScrollParent,
  getOffsetInScrollParent,
  isInteractiveElement,
  showCutText,
  useElementWidth,
  useRowHeight,
} from './table-geometry.ts';
import { TableRowEnd } from './table-row-end.tsx';
import { useMediaQuery } from './use-media-query.ts';
import { useMemoizedRowRenderer } from './use-memoized-row-renderer.ts';

/** The props of a `DataTable`. */
export interface DataTableProps<Row> {
  /** What the list contains, for screen readers. Example: `Requests`. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly columns: readonly TableColumn<Row>[];
  /** The two-line card that replaces a row on a phone. */
  readonly card: (row: Row) => ReactNode;
  readonly onOpen?: (row: Row) => void;
  /** Called for a click on a cell of this column while Alt (⌥) is held. */
  readonly onAltClick?: (row: Row, column: string, target: Element) => void;
  /** Content at the end of a hovered row. The page must offer the same actions by keyboard. */
  readonly rowEnd?: (row: Row) => ReactNode;
  /** ID of the row whose drawer is open. */
  readonly openId?: string | null;
  readonly sort?: TableSort | null;
  readonly onSort?: (sort: string | null) => void;
  /** Called when the last rows come into view. */
  readonly onEnd?: () => void;
  /** Called with the indexes of the first and last visible rows when they change. */
  readonly onShown?: (first: number, last: number) => void;
  /** Total number of rows, or null if unknown. */
  readonly total?: number | null;
  /** Dims the rows while the response for new filters is loading. */
  readonly stale?: boolean;
}

/**
 * Renders a list of any length, of which only the visible rows are in the DOM. The whole list is one tab stop:
 * arrow keys, Page Up, Page Down, Home and End move the focus within it, and Enter opens a row. The list
 * scrolls together with the content above it, in the enclosing element with the attribute `data-scroll`.
 */
export function DataTable<Row>(ownProps: DataTableProps<Row>) {
  const table = useRef<HTMLDivElement>(null);
  const columns = useFittingColumns(table, ownProps.columns);
  const props = { ...ownProps, columns };
  const { label, rows, total = null, stale = false } = props;
  const { rowId, openId, card } = props;
  const used = [props.onOpen, props.onAltClick, props.rowEnd];
  const keep = useMemoizedRowRenderer();
  const phone = useMediaQuery('(width < 48rem)');
  const { body, virtual, top, rowPx, cursor, setCursor, move } = useRows(props, phone);
  const tracks = columns.map(({ width }) => width).join(' ');
  return (
    // biome-ignore lint/a11y/useSemanticElements: only visible rows are rendered, so a table element would report the wrong number of rows.
    <div
      ref={table}
      role="table"
      aria-label={label}
      aria-rowcount={total ?? -1}
      aria-busy={stale}
      data-rows={rows.length}
      className={joinClassNames('relative bg-surface', stale && 'stale')}
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
        {keep(
          virtual.getVirtualItems().flatMap(({ index, key, start }) => {
            const row = rows[index];
            if (!row) return [];
            const focusable = index === cursor;
            const at = start - top;
            const open = openId === rowId(row);
            const drawn = () => (
              <TableRow
                key={key}
                {...props}
                row={row}
                index={index}
                phone={phone}
                tracks={tracks}
                focusable={focusable}
                onFocus={() => setCursor({ id: rowId(row), index })}
                place={{ height: rowPx, transform: `translateY(${at}px)` }}
              />
            );
            return [
              { key, of: [row, index, at, rowPx, phone, columns, focusable, open, card, ...used], drawn },
            ];
          }),
        )}
      </div>
    </div>
  );
}

function useFittingColumns<Row>(table: RefObject<HTMLElement | null>, columns: readonly TableColumn<Row>[]) {
  const width = useElementWidth(table);
  return useMemo(() => selectFittingColumns(columns, width), [columns, width]);
}

/** Manages which rows are rendered, which row has focus, and what keys do. */
function useRows<Row>({ rows, rowId, onOpen, onEnd, onShown }: DataTableProps<Row>, phone: boolean) {
  const body = useRef<HTMLDivElement>(null);
  const rowPx = useRowHeight(phone);
  // Rows can move while one has the focus, so the row is known by its ID. The index is for a row that is gone.
  const [at, setCursor] = useState({ id: '', index: 0 });
  const cursor = findRowIndex(rows, rowId, at);
  const [top, setTop] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => findScrollParent(body.current),
    estimateSize: () => rowPx,
    scrollMargin: top,
    overscan: 8,
    getItemKey: (index) => (rows[index] ? rowId(rows[index]) : index),
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), cursor])]
        .filter((row) => row < rows.length)
        .sort((a, b) => a - b),
  });
  useLayoutEffect(() => {
    // The content above does not change during scrolling, and measuring it costs a layout.
    if (!virtual.isScrolling) setTop(getOffsetInScrollParent(body.current));
  });
  useValueEffect(rowPx, () => virtual.measure());
  const last = virtual.getVirtualItems().at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - 30 && rows.length > 0) onEnd?.();
  }, [last, rows.length, onEnd]);
  const { startIndex: first = 0, endIndex: final = 0 } = virtual.range ?? {};
  useEffect(() => onShown?.(first, final), [first, final, onShown]);

  function move(event: KeyboardEvent) {
    const to = findNextRowForKey(event.key, cursor, rows.length);
    const row = rows[cursor];
    if (event.key === 'Enter' && row && event.target instanceof HTMLElement && event.target.role === 'row')
      onOpen?.(row);
    else if (to !== null && rows[to]) {
      event.preventDefault();
      const id = rowId(rows[to]);
      setCursor({ id, index: to });
      virtual.scrollToIndex(to);
      requestAnimationFrame(() =>
        body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus(),
      );
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
    // biome-ignore lint/a11y/useFocusableInteractive: the controls in its cells take focus.
    <div
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: tracks }}
      className="sticky top-0 z-10 grid h-8 items-center gap-x-6 border-y border-line bg-surface px-4 text-label text-ink-2 md:px-6"
    >
      {columns.map(({ id, label, hidesLabel, align, value }) => {
        const on = sort?.column === id;
        const Arrow = sort?.descending ? ArrowDown : ArrowUp;
        return (
          // biome-ignore lint/a11y/useSemanticElements: part of the table above.
          // biome-ignore lint/a11y/useFocusableInteractive: the button inside takes focus.
          <div
            key={id}
            role="columnheader"
            {...(on ? { 'aria-sort': sort.descending ? 'descending' : 'ascending' } : {})}
            className={joinClassNames('truncate', align && 'text-right')}
          >
            {value && onSort ? (
              <button
                type="button"
                onClick={() => onSort(getNextSortParameter(sort, id))}
                className="inline-flex h-6 items-center gap-1 rounded-tag hover:text-ink"
              >
                {label}
                {on && <Arrow size={12} aria-hidden="true" />}
              </button>
            ) : (
              <span className={hidesLabel ? 'sr-only' : ''}>{label}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}

interface TableRowProps<Row> extends DataTableProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly phone: boolean;
  readonly tracks: string;
  readonly focusable: boolean;
  readonly onFocus: () => void;
  readonly place: { readonly height: number; readonly transform: string };
}

function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, index, phone, tracks, columns, card, rowId, openId, focusable, onFocus, place } = props;
  const { onOpen, onAltClick, rowEnd } = props;
  const open = openId === rowId(row);
  const click = (event: MouseEvent) => {
    const { target, altKey } = event;
    if (!(target instanceof Element)) return;
    const column = target.closest<HTMLElement>('[data-column]')?.dataset['column'];
    if (altKey && onAltClick && column) onAltClick(row, column, target);
    // Selecting text or clicking a control inside the row must not open the row.
    else if (window.getSelection()?.isCollapsed !== false && !isInteractiveElement(target)) onOpen?.(row);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the table above.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table handles Enter for all rows.
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-row={rowId(row)}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
      onClick={click}
      onMouseOver={({ target }) => showCutText(target)}
      style={phone ? place : { ...place, gridTemplateColumns: tracks }}
      className={joinClassNames(
        'group absolute inset-x-0 items-center border-b border-line px-4 -outline-offset-2 md:px-6',
        phone ? 'flex' : 'grid gap-x-6',
        onOpen && 'cursor-pointer hover:bg-hover',
        open && 'bg-selected shadow-[inset_2px_0_0_var(--color-accent)]',
      )}
    >
      {phone ? (
        // biome-ignore lint/a11y/useSemanticElements: part of the table above.
        <div role="cell" className="min-w-0 flex-1">
          {card(row)}
        </div>
      ) : (
        columns.map(({ id, cell, align }) => (
          // biome-ignore lint/a11y/useSemanticElements: part of the table above.
          <div
            key={id}
            role="cell"
            data-column={id}
            className={joinClassNames('min-w-0 truncate figures', align && 'text-right')}
          >
            {cell(row)}
          </div>
        ))
      )}
      {!phone && rowEnd && <TableRowEnd>{rowEnd(row)}</TableRowEnd>}
    </div>
  );
}
