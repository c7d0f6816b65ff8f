import { isRecord } from './api-operations.ts';

type Row = Readonly<Record<string, unknown>>;

/** A column of a table: where its values are in a row, and how they are shown. */
export interface Column {
  readonly title: string;
  /** Paths of members, such as `usage.input_tokens`. Without `format` the first one that has a value is shown. */
  readonly paths: readonly string[];
  readonly format?: (...values: readonly unknown[]) => unknown;
  /** Never shortened: its values are copied into other commands. */
  readonly whole?: boolean;
}

/** A column with its values in a row at `paths`. */
export function column(title: string, paths: string | readonly string[], format?: Column['format']): Column {
  return { title, paths: [paths].flat(), ...(format && { format }) };
}

/** A column whose values are never shortened. */
export const wholeColumn = (title: string, path: string): Column => ({ title, paths: [path], whole: true });

/** The same member of each entry of a list. */
export const membersOf = (member: string) => (list: unknown) =>
  Array.isArray(list) ? list.map((entry) => (isRecord(entry) ? entry[member] : entry)) : undefined;

export const idColumn = wholeColumn('ID', 'id');
export const nameColumn = column('NAME', 'name');
export const sourceColumn = column('SOURCE', 'source');
export const createdColumn = column('CREATED', 'created_at');
export const updatedColumn = column('UPDATED', 'updated_at');

/** What a row shows in a column. */
export function readCell(row: Row, { paths, format }: Column): unknown {
  const values = paths.map((path) => readPath(row, path));
  return format ? format(...values) : values.find((value) => !isMissing(value));
}

function readPath(row: Row, path: string): unknown {
  let value: unknown = row;
  for (const member of path.split('.')) value = isRecord(value) ? value[member] : undefined;
  return value;
}

export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
