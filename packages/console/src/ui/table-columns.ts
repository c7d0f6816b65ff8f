import type { ReactNode } from 'react';

/** A column of a table. Everything about a field of a list is said once, here. */
export interface TableColumn<Row> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** CSS track of the grid: `9rem`, or `minmax(8rem, 1fr)` to take what is left. */
  readonly width: string;
  readonly align?: 'end';
  /** Not shown until chosen. */
  readonly optional?: boolean;
  /** Left out where not all columns fit: the highest first. Only of what a row's own page or drawer says too. */
  readonly yields?: number;
  /** Makes the column sortable in the browser: for lists that are there whole. */
  readonly value?: (row: Row) => string | number | null;
}

export interface TableSort {
  readonly column: string;
  readonly descending: boolean;
}

/** The columns to show, in order: those the URL names (`cols=a,b`), else the usual ones. */
export function listVisibleColumns<Row>(
  columns: readonly TableColumn<Row>[],
  cols: string | null,
): readonly TableColumn<Row>[] {
  const usual = columns.filter(({ optional }) => !optional);
  if (cols === null) return usual;
  const chosen = cols.split(',').flatMap((id) => columns.find((column) => column.id === id) ?? []);
  return chosen.length > 0 ? chosen : usual;
}

/** The least that columns take in rem, with the gaps and the padding of a row. */
function leastWidth(columns: readonly { readonly width: string }[]): number {
  const tracks = columns.map(({ width }) => Number(/([\d.]+)rem/.exec(width)?.[1] ?? 0));
  return tracks.reduce((sum, rem) => sum + rem, 0) + 1.5 * (columns.length - 1) + 3;
}

/** The columns that fit into a width in rem; those that yield go, and no other. */
export function fitColumns<Row>(
  columns: readonly TableColumn<Row>[],
  width: number,
): readonly TableColumn<Row>[] {
  if (leastWidth(columns) <= width) return columns;
  const most = Math.max(0, ...columns.map(({ yields = 0 }) => yields));
  if (most === 0) return columns;
  return fitColumns(
    columns.filter(({ yields = 0 }) => yields < most),
    width,
  );
}

/** The `cols=` of a choice; null when it is the usual one, which needs no word in the URL. */
export function formatColumnSelection<Row>(
  columns: readonly TableColumn<Row>[],
  chosen: readonly string[],
): string | null {
  const usual = columns.filter(({ optional }) => !optional).map(({ id }) => id);
  return chosen.join() === usual.join() || chosen.length === 0 ? null : chosen.join();
}

/** `sort=-cost` to column and direction. */
export function parseSort(text: string | null): TableSort | null {
  if (!text) return null;
  return text.startsWith('-')
    ? { column: text.slice(1), descending: true }
    : { column: text, descending: false };
}

/** What a click on a column's head asks for next: up, down, as it came. */
export function nextSort(sort: TableSort | null, column: string): string | null {
  if (sort?.column !== column) return column;
  return sort.descending ? null : `-${column}`;
}

/** Rows in the order of a column; what has no value comes last either way. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  sort: TableSort | null,
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
