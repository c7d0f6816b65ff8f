import { closeSync, constants, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';

/** The maximum size of a file that a hook reads. The server sends rule bundles of at most this size. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** With this flag, opening a named pipe does not wait for the process at its other end. Windows has no such files. */
const NON_BLOCKING = constants.O_NONBLOCK ?? 0;
const REPLACE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NON_BLOCKING;

/** Thrown for a file that a hook must not read. The message completes the sentence "<path> cannot be read: …". */
export class UnreadableFileError extends Error {}

/**
 * Reads a text file. Never waits for another process. An agent can put a named pipe in place of any file, and a hook
 * that waits for it exceeds the time after which agents perform the action without a decision.
 * @throws UnreadableFileError if the file is not a regular file or is larger than 16 MiB. Error of the file system if it
 * cannot be opened or read.
 */
export function readRegularFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | NON_BLOCKING);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new UnreadableFileError('not a regular file');
    if (stats.size > MAX_FILE_BYTES) throw new UnreadableFileError('larger than 16 MiB');
    const bytes = Buffer.allocUnsafe(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(file, bytes, length, bytes.length - length, null);
      if (count === 0) break;
      length += count;
    }
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}

/**
 * Replaces the content of a text file that only the user can read. Never waits for another process.
 * @throws Error of the file system if the file cannot be written
 */
export function writePrivateFile(path: string, text: string): void {
  const file = openSync(path, REPLACE, 0o600);
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}
