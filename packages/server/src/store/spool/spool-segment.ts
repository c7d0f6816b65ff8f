/** One file of the spool. The writer lets it grow, the drain takes it into the database. */
export interface SpoolSegment {
  readonly path: string;
  /** Bytes on disk that the drain may take; always whole lines while this process writes it. */
  written: number;
  /** Bytes the database has. */
  ingestedBytes: number;
  /** Rows in `written` minus rows in `taken`; an estimate for files of an earlier process. */
  rowsWaiting: number;
  /** Nothing will be added. */
  closed: boolean;
  /** Could not be read: left on disk for the next start. */
  skipped: boolean;
}

/** Rows of an earlier process are only estimated until they are read, at this size each. */
const USUAL_ROW_BYTES = 1024;

const SEGMENT_NAME = /^rows-(\d{9,15})\.jsonl$/;

export function segmentName(number: number): string {
  return `rows-${String(number).padStart(9, '0')}.jsonl`;
}

/** The number in a segment's name; null for other files. */
export function parseSegmentNumber(name: string): number | null {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function createSegment(path: string): SpoolSegment {
  return { path, written: 0, ingestedBytes: 0, rowsWaiting: 0, closed: false, skipped: false };
}

/** A file that an earlier process left. */
export function createLeftoverSegment(path: string, size: number): SpoolSegment {
  const rowsWaiting = Math.ceil(size / USUAL_ROW_BYTES);
  return { path, written: size, ingestedBytes: 0, rowsWaiting, closed: true, skipped: false };
}
