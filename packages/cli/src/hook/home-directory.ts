import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';

/** A directory that does not exist. */
const NO_HOME = resolve('/', 'nonexistent');

/**
 * Returns the home directory of the user. Null if there is none, as in a container whose user id has no account, or if
 * `HOME` is not an absolute path. A relative path would be inside the project that the agent changes.
 */
export function findHomeDirectory(): string | null {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}

/** Returns the home directory of the user for use in paths, or a directory that does not exist if there is none. */
export function getHomeDirectoryOrPlaceholder(): string {
  return findHomeDirectory() ?? NO_HOME;
}
