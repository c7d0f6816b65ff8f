import { accessSync, constants } from 'node:fs';
import { flushCompileCache } from 'node:module';

const SHELL = '/bin/sh';
/** How long remaining work may keep the process alive where the process cannot be replaced. */
const FORCED_EXIT_MS = 250;

/**
 * Ends this process with `exitCode`, even while threads, sockets or DNS lookups are active. The caller must
 * have written all output. `process.exit()` waits for the threads of V8 and libuv. A thread that waits for
 * garbage collection or for a DNS server can delay it for tens of seconds, or forever. Agents then treat the
 * hook as failed and continue. Replacing the process (execve) does not wait for threads.
 */
export function exitProcess(exitCode: number): void {
  process.exitCode = exitCode;
  if (canReplaceProcess()) {
    flushCompileCache();
    process.execve?.(SHELL, ['sh', '-c', `exit ${exitCode}`], {});
  }
  // On other platforms, the event loop runs empty. An unreferenced timer ends remaining work.
  process.stdin.destroy();
  setTimeout(() => process.exit(), FORCED_EXIT_MS).unref();
}

function canReplaceProcess(): boolean {
  if (typeof process.execve !== 'function') return false;
  try {
    accessSync(SHELL, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
