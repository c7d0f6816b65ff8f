import { EXCHANGE_COLUMNS } from '../schema.ts';
import { type ExchangeRowValues, parseRowLine } from './row-lines.ts';

export interface ParsedSpoolRows {
  readonly rows: readonly { readonly line: string; readonly values: ExchangeRowValues }[];
  /** Lines that are no row. */
  readonly rejected: readonly string[];
  /** The last line has no line break and is no row: its writer died within it. */
  readonly torn: boolean;
  /** Bytes taken. */
  readonly bytesRead: number;
}

const LINE_BREAK = 0x0a;

/**
 * Rows of a piece of a spool file, one to a line (`formatRowLine`). `last` says that the file ends with the
 * piece, so that what follows the last line break counts as a line; otherwise it is left.
 */
export function parseSpoolRows(piece: Buffer, last: boolean): ParsedSpoolRows {
  const length = last ? piece.length : piece.lastIndexOf(LINE_BREAK) + 1;
  const lines = piece.toString('utf8', 0, length).split('\n');
  const rest = lines.pop() ?? '';
  const rows = [];
  const rejected = [];
  for (const line of lines) {
    const values = parseRowLine(line);
    if (values) rows.push({ line, values });
    else rejected.push(line);
  }
  const values = rest === '' ? null : parseRowLine(rest);
  if (values) rows.push({ line: rest, values });
  return { rows, rejected, torn: rest !== '' && values === null, bytesRead: length };
}

const CREATED_AT = EXCHANGE_COLUMNS.indexOf('created_at');
/** The end of the year 9999: later is no time of a row, and no day of a partition. */
const LAST_MS = 253_402_300_799_999;

/** Whether a row says when it was made. Without that neither charts nor partitions have a place for it. */
export function hasValidTime(values: ExchangeRowValues): boolean {
  const at = values[CREATED_AT];
  return typeof at === 'number' && Number.isInteger(at) && at >= 0 && at <= LAST_MS;
}
