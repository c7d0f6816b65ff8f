/** One spool file. The writer appends to it, and the drain inserts its rows into the database. */
export interface SpoolSegment {
  readonly path: string;
  /** Number of bytes that the drain may read. Complete lines while this process writes the file. */
  written: number;
  /** Number of bytes in the database. */
  ingestedBytes: number;
  /** Number of rows that are not in the database. An estimate for files of an earlier process. */
  rowsWaiting: number;
  /** No more bytes will be added. */
  closed: boolean;
  /** The file could not be read and stays on disk for the next start. */
  skipped: boolean;
}

/** Estimated size of a row of an earlier process. */
const USUAL_ROW_BYTES = 1024;

const SEGMENT_NAME = /^rows-(\d{9,15})\.jsonl$/;

export function formatSpoolSegmentName(number: number): string {
  return `rows-${String(number).padStart(9, '0')}.jsonl`;
}

/** Returns the number in a spool file's name. Null for other files. */
export function parseSpoolSegmentNumber(name: string): number | null {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function createSpoolSegment(path: string): SpoolSegment {
  return { path, written: 0, ingestedBytes: 0, rowsWaiting: 0, closed: false, skipped: false };
}

/** Creates the segment for a file that an earlier process wrote. */
export function createSpoolSegmentOfEarlierProcess(path: string, size: number): SpoolSegment {
  const rowsWaiting = Math.ceil(size / USUAL_ROW_BYTES);
  return { path, written: size, ingestedBytes: 0, rowsWaiting, closed: true, skipped: false };
}
