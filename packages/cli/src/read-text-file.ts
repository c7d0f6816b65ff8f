import { readFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/**
 * Reads a UTF-8 file, or standard input for `-`, and removes a byte order mark. Rejects other encodings, because
 * their characters would be replaced without notice.
 * @throws UsageError if the file cannot be read or is not valid UTF-8
 */
export function readTextFile(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new UsageError(
      `${file} cannot be read (${code}). Check that the file exists and that you have permission to read it.`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file} is not valid UTF-8. Save the file with UTF-8 encoding.`);
  }
}
