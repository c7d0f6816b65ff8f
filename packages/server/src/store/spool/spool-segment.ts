/** One spool file. The spool writer appends to it, and the drain inserts its rows into the database. */
export interface SpoolSegment {
  readonly path: string;
  /**
   * Number of bytes that the drain may read. While this process writes the file, they end with a complete
   * line.
   */
  written: number;
  /** Unix milliseconds. All rows that were appended to the spool before this time are in this file or an earlier one. */
  writtenUntil: number;
  /** Number of bytes that have been inserted into the database. */
  ingestedBytes: number;
  /** Number of rows that are not in the database yet. An estimate for files of an earlier process. */
  rowsWaiting: number;
  /** Whether the file is complete, so that no more bytes will be added. */
  closed: boolean;
  /** Whether the file could not be read. It then stays on disk for the next start. */
  skipped: boolean;
}

/** Estimated size of a row in a file of an earlier process. */
const USUAL_ROW_BYTES = 1024;

const SEGMENT_NAME = /^rows-(\d{9,15})\.jsonl$/;

/** Returns the file name for a spool file's number. */
export function formatSpoolSegmentName(number: number): string {
  return `rows-${String(number).padStart(9, '0')}.jsonl`;
}

/** Returns the number in a spool file's name; null for other files. */
export function parseSpoolSegmentNumber(name: string): number | null {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function createSpoolSegment(path: string): SpoolSegment {
  return {
    path,
    written: 0,
    writtenUntil: 0,
    ingestedBytes: 0,
    rowsWaiting: 0,
    closed: false,
    skipped: false,
  };
}

/** Creates the closed segment for a file that an earlier process wrote. `size` is the size of the file in bytes. */
export function createClosedSpoolSegment(path: string, size: number): SpoolSegment {
  const rowsWaiting = Math.ceil(size / USUAL_ROW_BYTES);
  return { ...createSpoolSegment(path), written: size, rowsWaiting, closed: true };
}
