import type { ReactNode } from 'react';

/** A column of a table. Everything about a field of a list is said once, here. */
export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** CSS track of the grid: `9rem`, or `minmax(8rem, 1fr)` to take what is left. */
  readonly width: string;
  readonly align?: 'end';
  /** Not shown until chosen. */
  readonly optional?: boolean;
  /** Makes the column sortable in the browser: for lists that are there whole. */
  readonly value?: (row: Row) => string | number | null;
}

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** The columns to show, in order: those the URL names (`cols=a,b`), else the usual ones. */
export function shownColumns<Row>(
  columns: readonly Column<Row>[],
  cols: string | null,
): readonly Column<Row>[] {
  const usual = columns.filter(({ optional }) => !optional);
  if (cols === null) return usual;
  const chosen = cols.split(',').flatMap((id) => columns.find((column) => column.id === id) ?? []);
  return chosen.length > 0 ? chosen : usual;
}

/** The `cols=` of a choice; null when it is the usual one, which needs no word in the URL. */
export function columnsText<Row>(columns: readonly Column<Row>[], chosen: readonly string[]): string | null {
  const usual = columns.filter(({ optional }) => !optional).map(({ id }) => id);
  return chosen.join() === usual.join() || chosen.length === 0 ? null : chosen.join();
}

/** `sort=-cost` to column and direction. */
export function readSort(text: string | null): Sort | null {
  if (!text) return null;
  return text.startsWith('-')
    ? { column: text.slice(1), descending: true }
    : { column: text, descending: false };
}

/** What a click on a column's head asks for next: up, down, as it came. */
export function nextSort(sort: Sort | null, column: string): string | null {
  if (sort?.column !== column) return column;
  return sort.descending ? null : `-${column}`;
}

/** Rows in the order of a column; what has no value comes last either way. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const value = columns.find(({ id }) => id === sort?.column)?.value;
  if (!sort || !value) return rows;
  const sign = sort.descending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    return sign * String(a).localeCompare(String(b), 'en', { numeric: true });
  });
}
