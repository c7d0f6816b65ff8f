#!/usr/bin/env node
// Launcher of `floe hook <agent>`, started by agents for every event: nothing is loaded that an answer does not need.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const [agent = ''] = process.argv.slice(2);
// Warnings about type stripping in older versions of Node would be taken for the hook's words.
process.removeAllListeners('warning');
process.on('uncaughtException', end);
process.on('unhandledRejection', end);
if (process.features.typescript) {
  const { enableCompileCache } = await import('node:module');
  const { findHomeDirectory } = await import('../src/hook/home-directory.ts');
  const home = findHomeDirectory();
  const cache = process.env.XDG_CACHE_HOME || (home !== null && join(home, '.cache'));
  const compiled = cache && join(cache, 'floe', 'relay', 'compiled');
  if (compiled && hasOnlyFiles(compiled)) enableCompileCache(compiled);
  const { runHook, runBundleRefresh } = await import('../src/hook/main.ts');
  const { exitProcess } = await import('../src/hook/exit-process.ts');
  exitProcess(agent === '--refresh' ? await runBundleRefresh() : await runHook(agent));
} else {
  // A Node that cannot run TypeScript: the launcher of the command line knows where one is that can.
  process.argv.splice(2, Number.POSITIVE_INFINITY, 'hook', agent);
  await import('./floe.mjs');
}

/** Node waits for the process at the other end of a named pipe in its cache. Agents continue without a hook that takes too long. */
function hasOnlyFiles(directory) {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries.every((entry) => entry.isFile() || entry.isDirectory());
  } catch (error) {
    return error.code === 'ENOENT';
  }
}

/** A defect is told in one line and stops nothing, whatever is printed by then. */
function end(error) {
  process.stderr.write(`floe: the hook failed: ${error?.name ?? 'unknown error'}\n`);
  process.exit(1);
}
