import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

/**
 * Time within which equal signals count as one. One Ctrl-C can arrive several times: from the terminal, from
 * npm and from the wrapper script.
 */
const DUPLICATE_SIGNAL_MS = 500;

/** The steps of the shutdown. */
export interface ShutdownSteps {
  /**
   * Shuts down. After SIGTERM, requests are served until the shutdown delay has passed. Resolves when the
   * process may end.
   */
  start(signal: 'SIGTERM' | 'SIGINT'): Promise<void>;
  /** Ends the shutdown delay. Returns false if it has already ended. */
  skipDelay(): boolean;
}

/**
 * Handles process signals. SIGHUP reloads the configuration. SIGTERM and SIGINT shut the server
 * down. A second one skips the shutdown delay, and a third one ends the process immediately.
 */
export function handleProcessSignals(
  clock: Clock,
  log: Log,
  reload: () => void,
  shutdown: ShutdownSteps,
): void {
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
