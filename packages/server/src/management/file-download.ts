import * as z from 'zod';

/** An answer that is a file: sent piece by piece, never held whole. */
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

/** Answer schemas that stand for files, and their content types: JSON Schema cannot say it. */
export const DOWNLOAD_CONTENT_TYPES = new Map<z.ZodType, readonly string[]>();

/** The answer schema of a verb that gives a file of one of these types. */
export function fileDownloadSchema(...contentTypes: readonly string[]) {
  const schema = z.instanceof(FileDownload);
  DOWNLOAD_CONTENT_TYPES.set(schema, contentTypes);
  return schema;
}

/** A line of CSV (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function formatCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(formatCsvCell).join(',')}\r\n`;
}

function formatCsvCell(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
