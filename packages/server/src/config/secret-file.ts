import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';

/** A secret is a line, a key or a certificate. A larger file is probably the wrong one. */
const MAX_BYTES = 64 << 10;
const CHUNK_BYTES = 16 << 10;

export type SecretFileResult =
  | { readonly content: string }
  /** `problem` completes the sentence "the file <path> …" and never contains the content. */
  | { readonly problem: string; readonly isMissing: boolean };

/** Reads the file that `${file:PATH}` refers to. */
export type SecretFileReader = (path: string) => SecretFileResult;

/** Creates a function that reads secret files. Relative paths are relative to `directory`. */
export function createSecretFileReader(directory: string): SecretFileReader {
  return (path) => readSecretFile(resolve(directory, path));
}

/** Reads a file and removes its trailing newline. */
export function readSecretFile(path: string): SecretFileResult {
  let bytes: Buffer | null;
  try {
    bytes = readUpTo(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return {
      problem: isMissing
        ? 'does not exist; create the file, or correct the path'
        : `cannot be read (${code}); check that Floe is allowed to read it`,
      isMissing,
    };
  }
  if (bytes === null) return { problem: 'must be a regular file', isMissing: false };
  if (bytes.length > MAX_BYTES) return { problem: 'must be at most 64 KB', isMissing: false };
  return decodeSecret(bytes);
}

function decodeSecret(bytes: Buffer): SecretFileResult {
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
    return content === '' ? { problem: 'must not be empty', isMissing: false } : { content };
  } catch {
    return { problem: 'must be valid UTF-8', isMissing: false };
  }
}

/**
 * Reads at most `MAX_BYTES` + 1 bytes. Returns null for a directory, a pipe or a device, which may be
 * endless.
 */
function readUpTo(path: string): Buffer | null {
  // Without O_NONBLOCK, a pipe that has no writer would block the start.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) return null;
    const chunks: Buffer[] = [];
    let length = 0;
    while (length <= MAX_BYTES) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const size = readSync(descriptor, chunk);
      if (size === 0) break;
      chunks.push(chunk.subarray(0, size));
      length += size;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns the paths in all `${file:PATH}` references of a configuration text, even if the text is
 * invalid.
 */
export function listSecretFilePaths(text: string, directory: string): readonly string[] {
  const paths = [...text.matchAll(/\$\{file:([^}\n]+)\}/g)].map(([, path = '']) => resolve(directory, path));
  return [...new Set(paths)];
}
