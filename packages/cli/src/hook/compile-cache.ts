import { readdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { findUserDirectory } from './home-directory.ts';

/**
 * Stores the compiled code of the hook in the user's cache directory. Does nothing if that directory is not safe to
 * use.
 */
export function enableHookCompileCache(): void {
  const cache = findUserDirectory(process.env.XDG_CACHE_HOME, '.cache');
  if (cache === null) return;
  const compiled = join(cache, 'floe', 'relay', 'compiled');
  if (hasOnlyFiles(compiled)) enableCompileCache(compiled);
}

/**
 * Node waits for the process at the other end of a named pipe in its cache. Agents continue without a hook that takes
 * too long.
 */
function hasOnlyFiles(directory: string): boolean {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries.every((entry) => entry.isFile() || entry.isDirectory());
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
