import { EXCHANGE_COLUMNS } from '../schema.ts';
import { type ExchangeRowValues, parseExchangeRowLine } from './exchange-row-lines.ts';

/** The rows in a chunk of a spool file. */
export interface ParsedSpoolRows {
  readonly rows: readonly { readonly line: string; readonly values: ExchangeRowValues }[];
  /** Invalid lines. */
  readonly rejected: readonly string[];
  /** Whether the last line has no line break and is invalid, because its writer was killed. */
  readonly torn: boolean;
  /** Number of parsed bytes. */
  readonly bytesRead: number;
}

const LINE_BREAK = 0x0a;

/**
 * Parses a chunk of a spool file with one row per line (`formatExchangeRowLine`). If `last` is
 * true, the file ends with this chunk, and text after the last line break is also parsed as a line.
 * Otherwise, that text is left for the next chunk.
 */
export function parseSpoolRows(chunk: Buffer, last: boolean): ParsedSpoolRows {
  const length = last ? chunk.length : chunk.lastIndexOf(LINE_BREAK) + 1;
  const lines = chunk.toString('utf8', 0, length).split('\n');
  const rest = lines.pop() ?? '';
  const rows = [];
  const rejected = [];
  for (const line of lines) {
    const values = parseExchangeRowLine(line);
    if (values) rows.push({ line, values });
    else rejected.push(line);
  }
  const values = rest === '' ? null : parseExchangeRowLine(rest);
  if (values) rows.push({ line: rest, values });
  return { rows, rejected, torn: rest !== '' && values === null, bytesRead: length };
}

const CREATED_AT = EXCHANGE_COLUMNS.indexOf('created_at');
/** The end of the year 9999. Rows with a later time are invalid. */
const LAST_MS = 253_402_300_799_999;

/** Returns whether a row has a valid time. Charts and partitions require one. */
export function hasValidExchangeTime(values: ExchangeRowValues): boolean {
  const at = values[CREATED_AT];
  return typeof at === 'number' && Number.isInteger(at) && at >= 0 && at <= LAST_MS;
}
