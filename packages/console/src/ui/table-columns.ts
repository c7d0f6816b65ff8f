import type { ReactNode } from 'react';

/** A column of a list: its label, its content, and when it is shown. */
export interface TableColumn<Row> {
  readonly id: string;
  readonly label: string;
  /** Whether the label is only for screen readers, because the cells need no visible label. */
  readonly hidesLabel?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** CSS grid track: a width such as `9rem`, or `minmax(8rem, 1fr)` to fill the remaining space. */
  readonly width: string;
  readonly align?: 'end';
  /** Hidden until the user selects it. */
  readonly optional?: boolean;
  /**
   * Order in which columns are hidden if not all columns fit. The column with the highest value is hidden first.
   * Set it only if the row’s page or drawer shows the value too.
   */
  readonly yields?: number;
  /** Returns the value to sort by in the browser. `QueryResults` loads all pages of a sorted list. */
  readonly value?: (row: Row) => string | number | null;
}

/** The column by which a list is sorted, and the direction. */
export interface TableSort {
  readonly column: string;
  readonly descending: boolean;
}

/**
 * Returns the visible columns in order: those named in the URL (`cols=a,b`), otherwise the default columns.
 */
export function listVisibleColumns<Row>(
  columns: readonly TableColumn<Row>[],
  cols: string | null,
): readonly TableColumn<Row>[] {
  const usual = columns.filter(({ optional }) => !optional);
  if (cols === null) return usual;
  const chosen = cols.split(',').flatMap((id) => columns.find((column) => column.id === id) ?? []);
  return chosen.length > 0 ? chosen : usual;
}

/** Returns the minimum width of the columns in rem, including gaps and row padding. */
function leastWidth(columns: readonly { readonly width: string }[]): number {
  const tracks = columns.map(({ width }) => Number(/([\d.]+)rem/.exec(width)?.[1] ?? 0));
  return tracks.reduce((sum, rem) => sum + rem, 0) + 1.5 * (columns.length - 1) + 3;
}

/** Returns the columns that fit into `width`, in rem. Omits only columns with a `yields` value. */
export function selectFittingColumns<Row>(
  columns: readonly TableColumn<Row>[],
  width: number,
): readonly TableColumn<Row>[] {
  if (leastWidth(columns) <= width) return columns;
  const most = Math.max(0, ...columns.map(({ yields = 0 }) => yields));
  if (most === 0) return columns;
  return selectFittingColumns(
    columns.filter(({ yields = 0 }) => yields < most),
    width,
  );
}

/**
 * Returns the value of the URL parameter `cols` for a selection of columns. Returns null for the default
 * columns, for which the URL contains no parameter.
 */
export function formatColumnSelection<Row>(
  columns: readonly TableColumn<Row>[],
  chosen: readonly string[],
): string | null {
  const usual = columns.filter(({ optional }) => !optional).map(({ id }) => id);
  return chosen.join() === usual.join() || chosen.length === 0 ? null : chosen.join();
}

/** Parses the URL parameter `sort`, such as `-cost`, into a column and a direction. */
export function parseSort(text: string | null): TableSort | null {
  if (!text) return null;
  return text.startsWith('-')
    ? { column: text.slice(1), descending: true }
    : { column: text, descending: false };
}

/**
 * Returns the URL parameter `sort` after a click on a column header, which changes the order from ascending to
 * descending to none. Null means none.
 */
export function getNextSortParameter(sort: TableSort | null, column: string): string | null {
  if (sort?.column !== column) return column;
  return sort.descending ? null : `-${column}`;
}

/**
 * Returns the rows sorted by a column. Rows without a value are last in both directions. Returns the rows
 * unchanged if there is no sort.
 */
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
