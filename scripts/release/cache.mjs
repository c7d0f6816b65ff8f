// Downloads of a release build, kept in dist/cache/ by their hash.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.mjs';

export const CACHE = join(root, 'dist/cache');

/** Hexadecimal hash of bytes. */
export function hashOf(data, algorithm = 'sha256') {
  return createHash(algorithm).update(data).digest('hex');
}

/**
 * Path of a file with this hash. `download(dir)` runs when the cache has none; it returns the path of a new file in `dir`.
 *
 * @param {{ name: string, algorithm: 'sha256' | 'sha512', hash: string }} file `name` is for messages
 * @param {(dir: string) => string} download
 * @throws Error when the downloaded file has another hash
 */
export function cachedFile({ name, algorithm, hash }, download) {
  const path = join(CACHE, `${algorithm}-${hash}`);
  if (existsSync(path) && hashOf(readFileSync(path), algorithm) === hash) return path;
  mkdirSync(CACHE, { recursive: true });
  const dir = mkdtempSync(join(CACHE, 'download-'));
  try {
    const downloaded = download(dir);
    const found = hashOf(readFileSync(downloaded), algorithm);
    if (found !== hash) throw new Error(`${name} has the ${algorithm} hash ${found}, expected ${hash}`);
    renameSync(downloaded, path);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  return path;
}
