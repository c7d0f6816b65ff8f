import type { Log } from '../core/log.ts';

/**
 * Logs and counts the promise rejections that no code handles. Each of them is a bug in Floe. Without a listener,
 * Node.js would end the process, and one request could end the requests of all organizations. An exception outside of a
 * promise still ends the process.
 */
export function recordUnhandledRejections(log: Log, count: () => void = () => undefined): void {
  process.on('unhandledRejection', (reason) => {
    count();
    log.error({ err: reason }, 'error was not handled; this is a bug in Floe');
  });
}
