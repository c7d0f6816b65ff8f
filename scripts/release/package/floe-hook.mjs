#!/usr/bin/env node
// The floe-hook command of the npm package. Agents start it for every event, so it loads only what an answer needs.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { assertSupportedNode } from './supported-node.mjs';

assertSupportedNode();
// Agents read the output of a hook; a warning of Node.js is not part of it.
process.removeAllListeners('warning');
process.on('uncaughtException', end);
process.on('unhandledRejection', end);
// Old versions of Node.js do not export it.
const { enableCompileCache } = await import('node:module');
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
enableCompileCache(join(cache, 'floe', 'relay', 'compiled'));
const [agent = ''] = process.argv.slice(2);
const { runHook, runBundleRefresh } = await import('../cli/dist/hook-main.js');
const { exitProcess } = await import('../cli/dist/exit-process.js');
exitProcess(agent === '--refresh' ? await runBundleRefresh() : await runHook(agent));

/** A defect is one line on standard error and does not stop the agent. */
function end(error) {
  process.stderr.write(`floe: the hook failed: ${error?.name ?? 'unknown error'}\n`);
  process.exit(1);
}
