import { isRecord } from './api-operations.ts';

type Row = Readonly<Record<string, unknown>>;

/** A column of a table: the location of its values in a row, and their format. */
export interface Column {
  readonly title: string;
  /** Paths of fields, such as `usage.input_tokens`. Without `format`, the first one with a value is shown. */
  readonly paths: readonly string[];
  readonly format?: (...values: readonly unknown[]) => unknown;
  /** Never truncated, because its values are copied to other commands. */
  readonly whole?: boolean;
}

/** Creates a column for the values at `paths`. */
export function column(title: string, paths: string | readonly string[], format?: Column['format']): Column {
  return { title, paths: [paths].flat(), ...(format && { format }) };
}

/** Creates a column whose values are never truncated. */
export const wholeColumn = (title: string, path: string): Column => ({ title, paths: [path], whole: true });

/** Creates a format that shows the same field of each entry of a list. */
export const membersOf = (member: string) => (list: unknown) =>
  Array.isArray(list) ? list.map((entry) => (isRecord(entry) ? entry[member] : entry)) : undefined;

export const idColumn = wholeColumn('ID', 'id');
export const nameColumn = column('NAME', 'name');
export const sourceColumn = column('SOURCE', 'source');
export const createdColumn = column('CREATED', 'created_at');
export const updatedColumn = column('UPDATED', 'updated_at');

/** Returns the value of a row in a column. */
export function readCell(row: Row, { paths, format }: Column): unknown {
  const values = paths.map((path) => readPath(row, path));
  return format ? format(...values) : values.find((value) => !isMissing(value));
}

function readPath(row: Row, path: string): unknown {
  let value: unknown = row;
  for (const member of path.split('.')) value = isRecord(value) ? value[member] : undefined;
  return value;
}

/** Whether a value is absent, null or an empty text. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
