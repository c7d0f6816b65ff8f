import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

/** One Ctrl-C arrives several times: from the terminal, and from npm and the wrapper that pass it on. */
const DUPLICATE_SIGNAL_MS = 500;

/** How the process ends. */
export interface Shutdown {
  /** Serves for a while longer after TERM, then finishes what is in progress. Resolves when the process may end. */
  start(signal: 'SIGTERM' | 'SIGINT'): Promise<void>;
  /** Ends the time in which everything is still served; false when it is over already. */
  skipDelay(): boolean;
}

/** HUP reloads, TERM and INT shut down. A second TERM or INT skips the shutdown delay, one after that ends at once. */
export function handleProcessSignals(clock: Clock, log: Log, reload: () => void, shutdown: Shutdown): void {
  let lastAt: number | null = null;
  const end = (signal: 'SIGTERM' | 'SIGINT') => {
    const now = clock.monotonic();
    if (lastAt !== null) {
      if (now - lastAt < DUPLICATE_SIGNAL_MS) return;
      lastAt = now;
      if (!shutdown.skipDelay()) process.exit(1);
      return;
    }
    lastAt = now;
    log.info({ signal }, 'server is shutting down');
    shutdown.start(signal).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  process.on('SIGHUP', reload);
}
