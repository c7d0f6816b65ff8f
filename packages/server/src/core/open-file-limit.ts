import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { devNull } from 'node:os';

/** A directory whose size is the number of open files of this process. */
const OPEN_FILES = '/proc/self/fd';

/**
 * Returns the maximum number of files and connections that this process can have open. Null if the operating system
 * does not state it in `/proc`.
 */
export function readOpenFileLimit(): number | null {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/**
 * Returns the number of open files. Infinity if the open file limit is reached; 0 if the number cannot be determined.
 * If the operating system does not state the number (Linux does since version 6.2), returns the lowest free file
 * descriptor, which can be lower after files were closed.
 */
export function probeOpenFiles(): number {
  try {
    const descriptor = openSync(devNull, 'r');
    closeSync(descriptor);
    return Math.max(descriptor, statSync(OPEN_FILES, { throwIfNoEntry: false })?.size ?? 0);
  } catch (error) {
    return isOpenFileLimitError(error) ? Number.POSITIVE_INFINITY : 0;
  }
}

/** Returns whether an operation failed because this process or its machine has reached its open file limit. */
export function isOpenFileLimitError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
