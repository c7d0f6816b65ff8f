import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

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

/**
 * Returns the directory in an XDG variable, or its default in the home directory. Null if there is neither. Ignores a
 * relative path, as the XDG Base Directory Specification requires. It would be inside the project of the agent.
 */
export function findUserDirectory(value: string | undefined, inHome: string): string | null {
  if (value !== undefined && isAbsolute(value)) return value;
  const home = findHomeDirectory();
  return home === null ? null : join(home, inHome);
}
