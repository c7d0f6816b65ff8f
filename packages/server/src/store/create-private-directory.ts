import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory that only its owner can read, and its missing parents. Does nothing if the directory
 * exists. Does not use the option `recursive` of Node.js. With this option, `mkdirSync` never returns if a
 * parent exists and the file system still reports ENOENT, as in /proc.
 * @throws Error from the file system
 */
export function createPrivateDirectory(path: string): void {
  const missing: string[] = [];
  let current = resolve(path);
  while (statSync(current, { throwIfNoEntry: false }) === undefined) {
    missing.push(current);
    current = dirname(current);
  }
  if (!statSync(current).isDirectory())
    throw Object.assign(new Error(`ENOTDIR: not a directory, '${current}'`), { code: 'ENOTDIR' });
  for (const directory of missing.toReversed()) createOne(directory);
}

/** Another process may create the same directory at the same time. */
function createOne(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
