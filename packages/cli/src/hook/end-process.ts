import { accessSync, constants } from 'node:fs';
import { flushCompileCache } from 'node:module';

const SHELL = '/bin/sh';
/** What may still keep a process alive gets this long where the process cannot be replaced. */
const FORCED_EXIT_MS = 250;

/**
 * Ends this process with `exitCode`, whatever threads, sockets or name lookups are still busy. Everything to print
 * must have been written before.
 *
 * `process.exit()` is no such guarantee: it joins V8's and libuv's threads, and a thread that waits for the main
 * thread (a collection of garbage) or for a name server holds it up for ever or for tens of seconds. Agents then
 * treat the hook as failed and go on. Replacing the process (execve) waits for no thread.
 */
export function endProcess(exitCode: number): void {
  process.exitCode = exitCode;
  if (canReplaceProcess()) {
    flushCompileCache();
    process.execve?.(SHELL, ['sh', '-c', `exit ${exitCode}`], {});
  }
  // Elsewhere the loop runs empty; a timer that does not keep it alive ends what does.
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
