/** One file of the spool. The writer lets it grow, the drain takes it into the database. */
export interface Segment {
  readonly path: string;
  /** Bytes on disk that the drain may take; always whole lines while this process writes it. */
  written: number;
  /** Bytes the database has. */
  taken: number;
  /** Rows in `written` minus rows in `taken`; an estimate for files of an earlier process. */
  rowsWaiting: number;
  /** Nothing will be added. */
  closed: boolean;
  /** Could not be read: left on disk for the next start. */
  skipped: boolean;
}

/** Rows of an earlier process are only estimated until they are read, at this size each. */
const USUAL_ROW_BYTES = 1024;

const NAME = /^rows-(\d{9,15})\.jsonl$/;

export function segmentName(number: number): string {
  return `rows-${String(number).padStart(9, '0')}.jsonl`;
}

/** The number in a segment's name; null for other files. */
export function segmentNumber(name: string): number | null {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function newSegment(path: string): Segment {
  return { path, written: 0, taken: 0, rowsWaiting: 0, closed: false, skipped: false };
}

/** A file that an earlier process left. */
export function leftover(path: string, size: number): Segment {
  const rowsWaiting = Math.ceil(size / USUAL_ROW_BYTES);
  return { path, written: size, taken: 0, rowsWaiting, closed: true, skipped: false };
}
