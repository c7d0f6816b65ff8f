import { isRecord } from './api-operations.ts';

type Row = Readonly<Record<string, unknown>>;

/** A column of a table: its title, where its values are in a row, and how they are formatted. */
export interface CliTableColumn {
  readonly title: string;
  /** Paths of fields, such as `usage.input_tokens`. Without `format`, the first one with a value is shown. */
  readonly paths: readonly string[];
  readonly format?: (...values: readonly unknown[]) => unknown;
  /** Whether values are never truncated, because users copy them into other commands. */
  readonly whole?: boolean;
}

/**
 * Creates a column. `format` receives the values at all `paths` and returns the value to show. Without
 * `format`, the column shows the first of these values that is not missing.
 */
export function createColumn(
  title: string,
  paths: string | readonly string[],
  format?: CliTableColumn['format'],
): CliTableColumn {
  return { title, paths: [paths].flat(), ...(format && { format }) };
}

/** Creates a column whose values are shown completely, however long they are. */
export const createUntruncatedColumn = (title: string, path: string): CliTableColumn => ({
  title,
  paths: [path],
  whole: true,
});

/** Creates a function for `format` that converts a list of objects to a list of the values of one field. */
export const createFieldListFormatter = (member: string) => (list: unknown) =>
  Array.isArray(list) ? list.map((entry) => (isRecord(entry) ? entry[member] : entry)) : undefined;

export const idColumn = createUntruncatedColumn('ID', 'id');
export const nameColumn = createColumn('NAME', 'name');
export const sourceColumn = createColumn('SOURCE', 'source');
export const createdAtColumn = createColumn('CREATED', 'created_at');
export const updatedAtColumn = createColumn('UPDATED', 'updated_at');

/** Returns the value that a column shows for a row. */
export function getCellValue(row: Row, { paths, format }: CliTableColumn): unknown {
  const values = paths.map((path) => readPath(row, path));
  return format ? format(...values) : values.find((value) => !isMissingValue(value));
}

function readPath(row: Row, path: string): unknown {
  let value: unknown = row;
  for (const member of path.split('.')) value = isRecord(value) ? value[member] : undefined;
  return value;
}

/** Returns whether a value is undefined, null or an empty string. */
export function isMissingValue(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
