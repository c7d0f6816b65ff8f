import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/**
 * Returns the maximum number of files and connections that this process can have open. Null if the operating system does not
 * state it in `/proc`.
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
 * Returns a number that is close to the number of open files, because a new file gets the lowest free number. Infinity if no
 * file can be opened.
 */
export function probeOpenFiles(): number {
  try {
    const descriptor = openSync(devNull, 'r');
    closeSync(descriptor);
    return descriptor + 1;
  } catch (error) {
    return isOpenFileLimitError(error) ? Number.POSITIVE_INFINITY : 0;
  }
}

/** Returns whether an operation failed because this process or its machine has reached its limit of open files. */
export function isOpenFileLimitError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
