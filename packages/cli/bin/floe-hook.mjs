#!/usr/bin/env node
// Launcher of `floe hook <agent>`, started by agents for every event: nothing is loaded that an answer does not need.
const [agent = ''] = process.argv.slice(2);
// Warnings about type stripping in older versions of Node would be taken for the hook's words.
process.removeAllListeners('warning');
process.on('uncaughtException', end);
process.on('unhandledRejection', end);
if (process.features.typescript) {
  const { enableHookCompileCache } = await import('../src/hook/compile-cache.ts');
  enableHookCompileCache();
  const { runHook, runBundleRefresh } = await import('../src/hook/main.ts');
  const { exitProcess } = await import('../src/hook/exit-process.ts');
  exitProcess(agent === '--refresh' ? await runBundleRefresh() : await runHook(agent));
} else {
  // A Node that cannot run TypeScript: the launcher of the command line knows where one is that can.
  process.argv.splice(2, Number.POSITIVE_INFINITY, 'hook', agent);
  await import('./floe.mjs');
}

/** A defect is told in one line and stops nothing, whatever is printed by then. */
function end(error) {
  process.stderr.write(`floe: the hook failed: ${error?.name ?? 'unknown error'}\n`);
  process.exit(1);
}
