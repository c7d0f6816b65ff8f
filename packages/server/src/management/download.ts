import * as z from 'zod';

/** An answer that is a file: sent piece by piece, never held whole. */
export class Download {
  readonly contentType: string;
  /** Letters, digits, `.`, `_` and `-`. */
  readonly filename: string;
  readonly parts: AsyncIterable<string>;

  constructor(contentType: string, filename: string, parts: AsyncIterable<string>) {
    this.contentType = contentType;
    this.filename = filename.replace(/[^\w.-]/g, '_');
    this.parts = parts;
  }
}

/** Answer schemas that stand for files, and their content types: JSON Schema cannot say it. */
export const DOWNLOADS = new Map<z.ZodType, readonly string[]>();

/** The answer schema of a verb that gives a file of one of these types. */
export function download(...contentTypes: readonly string[]) {
  const schema = z.instanceof(Download);
  DOWNLOADS.set(schema, contentTypes);
  return schema;
}

/** A line of CSV (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
