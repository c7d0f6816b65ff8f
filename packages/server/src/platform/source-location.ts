/** The columns that tell whether a row comes from floe.yaml or from the API. */
export interface SourceColumns {
  /** `file` or `console`. */
  readonly source: string;
  /** Name of the file. Absent in old rows. */
  readonly source_file?: string | null | undefined;
  readonly source_line: number | null;
}

/** The file name that is shown if a row has none. */
export const DEFAULT_CONFIG_FILE_NAME = 'floe.yaml';

/** Returns a row's source in the API format. */
export function toResourceSource({ source, source_file, source_line }: SourceColumns) {
  return source === 'file'
    ? { kind: 'file' as const, file: source_file ?? DEFAULT_CONFIG_FILE_NAME, line: source_line }
    : { kind: 'console' as const, file: null, line: null };
}

/** Formats a row's source for display, such as `floe.yaml, line 12`. */
export function formatSourceLocation({ source_file, source_line }: Omit<SourceColumns, 'source'>): string {
  return `${source_file ?? DEFAULT_CONFIG_FILE_NAME}${source_line === null ? '' : `, line ${source_line}`}`;
}

/**
 * Returns whether a column describes the position in the file. A new position does not count as a
 * change of the resource.
 */
export function isSourceColumn(column: string): boolean {
  return column === 'source_line' || column === 'source_file' || column === 'position';
}
