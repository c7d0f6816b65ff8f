/** A row that stands in the configuration file, or was made through the API. */
export interface SourceColumns {
  /** `file` or `console`. */
  readonly source: string;
  /** Name of the file; absent in rows that were written before it was kept. */
  readonly source_file?: string | null | undefined;
  readonly source_line: number | null;
}

/** What the file is called where nobody named it. */
export const DEFAULT_FILE_NAME = 'floe.yaml';

/** Where a row is written, as every answer says it. */
export function toSource({ source, source_file, source_line }: SourceColumns) {
  return source === 'file'
    ? { kind: 'file' as const, file: source_file ?? DEFAULT_FILE_NAME, line: source_line }
    : { kind: 'console' as const, file: null, line: null };
}

/** The same for people: `floe.yaml, line 12`. */
export function sourceLocation({ source_file, source_line }: Omit<SourceColumns, 'source'>): string {
  return `${source_file ?? DEFAULT_FILE_NAME}${source_line === null ? '' : `, line ${source_line}`}`;
}

/** Columns that say where an object is in the file. That it moved there is no change of it. */
export function isSourceColumn(column: string): boolean {
  return column === 'source_line' || column === 'source_file' || column === 'position';
}
