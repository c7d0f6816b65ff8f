import * as z from 'zod';

/** The content type of files with one JSON value per line. */
export const NDJSON_CONTENT_TYPE = 'application/x-ndjson';
export const CSV_CONTENT_TYPE = 'text/csv; charset=utf-8';

/** A response that is a file. The file is streamed, and is never in memory as a whole. */
export class FileDownload {
  readonly contentType: string;
  /** Letters, digits, `.`, `_` and `-`. */
  readonly filename: string;
  readonly chunks: AsyncIterable<string>;

  constructor(contentType: string, filename: string, chunks: AsyncIterable<string>) {
    this.contentType = contentType;
    this.filename = filename.replace(/[^\w.-]/g, '_');
    this.chunks = chunks;
  }
}

/**
 * The response schemas that represent files, with the files' content types. JSON Schema cannot
 * express these types.
 */
export const FILE_DOWNLOAD_CONTENT_TYPES = new Map<z.ZodType, readonly string[]>();

/** Returns the response schema for an operation that returns a file of one of these types. */
export function createFileDownloadSchema(...contentTypes: readonly string[]) {
  const schema = z.instanceof(FileDownload);
  FILE_DOWNLOAD_CONTENT_TYPES.set(schema, contentTypes);
  return schema;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

/**
 * Yields the rows of a list page by page. Also yields empty pages: a stream whose client has disconnected ends the
 * generator only at a `yield`, and filters that few rows match can have many empty pages in a row.
 */
export async function* readPages<Row>(
  getPage: (cursor: string | undefined) => Promise<Page<Row>>,
): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined;
  do {
    const page: Page<Row> = await getPage(cursor);
    yield page.rows;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * Formats a CSV line (RFC 4180). A string that a spreadsheet would evaluate as a formula gets a
 * leading apostrophe.
 */
export function formatCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(formatCsvCell).join(',')}\r\n`;
}

function formatCsvCell(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
