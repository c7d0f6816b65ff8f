#!/usr/bin/env node
// The floe-hook command of the npm package. Agents start it for every event, so it loads only what an answer needs.
import { assertSupportedNode } from './supported-node.mjs';

assertSupportedNode();
// Agents read the output of a hook; a warning of Node.js is not part of it.
process.removeAllListeners('warning');
process.on('uncaughtException', end);
process.on('unhandledRejection', end);
const { enableHookCompileCache } = await import('../cli/dist/hook-compile-cache.js');
enableHookCompileCache();
const [agent = ''] = process.argv.slice(2);
const { runHook, runBundleRefresh } = await import('../cli/dist/hook-main.js');
const { exitProcess } = await import('../cli/dist/exit-process.js');
exitProcess(agent === '--refresh' ? await runBundleRefresh() : await runHook(agent));

/** A defect is one line on standard error and does not stop the agent. */
function end(error) {
  process.stderr.write(`floe: the hook failed: ${error?.name ?? 'unknown error'}\n`);
  process.exit(1);
}
