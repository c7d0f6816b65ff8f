import { type ReactNode, useMemo } from 'react';
import { cx } from './class-names.ts';
import type { Column } from './table-columns.ts';

export interface TableRowProps<Row> extends CellsOf<Row> {
  readonly id: string;
  readonly index: number;
  readonly tracks: string;
  readonly open: boolean;
  readonly onOpen: ((row: Row) => void) | undefined;
  readonly focusable: boolean;
  readonly onFocus: () => void;
  readonly place: { readonly height: number; readonly transform: string };
}

/** One row of a `DataTable`, at its place. */
export function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, id, index, phone, tracks, open, onOpen, focusable, onFocus, place } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the table above.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table listens for Enter, for all rows at once.
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-row={id}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
      onClick={(event) => {
        // A text being selected, or a control inside the row, is not a wish to open it.
        if (window.getSelection()?.isCollapsed !== false && !isControl(event.target)) onOpen?.(row);
      }}
      style={phone ? place : { ...place, gridTemplateColumns: tracks }}
      className={cx(
        'absolute inset-x-0 items-center border-b border-line px-4 -outline-offset-2 md:px-6',
        phone ? 'flex' : 'grid gap-x-6',
        onOpen && 'cursor-pointer hover:bg-hover',
        open && 'bg-selected shadow-[inset_2px_0_0_var(--color-accent)]',
      )}
    >
      {useCells(props)}
    </div>
  );
}

interface CellsOf<Row> {
  readonly row: Row;
  readonly phone: boolean;
  readonly columns: readonly Column<Row>[];
  readonly card: (row: Row) => ReactNode;
}

/** What stands in a row. The same elements while nothing of them changed: a row that only moves is not drawn anew. */
function useCells<Row>({ row, phone, columns, card }: CellsOf<Row>): ReactNode {
  const cardOf = phone ? card : null;
  return useMemo(() => {
    if (cardOf)
      return (
        // biome-ignore lint/a11y/useSemanticElements: part of the table above.
        <div role="cell" className="min-w-0 flex-1">
          {cardOf(row)}
        </div>
      );
    return columns.map(({ id, cell, align }) => (
      // biome-ignore lint/a11y/useSemanticElements: part of the table above.
      <div
        key={id}
        role="cell"
        data-column={id}
        className={cx('min-w-0 truncate figures', align && 'text-right')}
      >
        {cell(row)}
      </div>
    ));
  }, [row, cardOf, columns]);
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a,button,input,label') !== null;
}
