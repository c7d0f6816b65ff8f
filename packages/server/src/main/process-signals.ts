import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

/**
 * Time after a SIGTERM or SIGINT during which the process ignores further ones. The signal of one Ctrl-C can
 * arrive several times: from the terminal, from npm and from the wrapper script.
 */
const DUPLICATE_SIGNAL_MS = 500;

/** The signal that shuts a process down, or `restart` if its supervisor replaces the process. */
export type ShutdownReason = 'SIGTERM' | 'SIGINT' | 'restart';

/**
 * Shuts this process down, as Ctrl-C does, when its parent process ends, if the parent started it with an IPC
 * channel. `kill -9` of `floe serve` sends no signal to the server, which would then keep the data directory
 * locked. Processes that systemd or a container runtime starts have no channel.
 */
export function shutDownOnParentExit(): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
  // The listener alone must not keep a process alive that could not start.
  process.channel?.unref();
}

/** Controls the shutdown of this process. */
export interface ShutdownController {
  /**
   * Shuts down. After SIGTERM, requests are served until the shutdown delay has passed. For a restart,
   * connections are served until they end. Resolves when the process may end.
   */
  start(reason: ShutdownReason): Promise<void>;
  /** Ends the shutdown delay. Returns false if it has already ended. */
  skipDelay(): boolean;
  /**
   * Turns a restart that has started into a shutdown: the process is no longer ready and rejects new requests.
   * Requests in progress may still finish.
   */
  abandonRestart(): void;
}

/**
 * Delays signals that would end this process while it already accepts requests and cannot shut down yet. A third SIGTERM or SIGINT ends
 * it immediately, as `handleProcessSignals` does.
 * @returns a function to call when the signals are handled; it sends them again
 */
export function delaySignals(): () => void {
  const received: NodeJS.Signals[] = [];
  const delay = (signal: NodeJS.Signals) => {
    received.push(signal);
    if (received.filter((each) => each === 'SIGTERM' || each === 'SIGINT').length >= 3) process.exit(1);
  };
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const;
  for (const signal of signals) process.on(signal, delay);
  return () => {
    for (const signal of signals) process.off(signal, delay);
    for (const signal of new Set(received)) process.kill(process.pid, signal);
  };
}

/**
 * Handles process signals. SIGHUP reloads the configuration. SIGTERM and SIGINT shut the server down. A second
 * SIGTERM or SIGINT skips the shutdown delay, and a third one ends the process immediately.
 * @returns a function that shuts this process down because its supervisor replaces it
 */
export function handleProcessSignals(
  clock: Clock,
  log: Log,
  reload: () => void,
  shutdown: ShutdownController,
): () => void {
  let isRestarting = false;
  let lastSignalAt: number | null = null;
  const start = (reason: ShutdownReason) => {
    log.info(
      { signal: reason },
      reason === 'restart' ? 'process is being replaced' : 'server is shutting down',
    );
    shutdown.start(reason).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  const end = (signal: 'SIGTERM' | 'SIGINT') => {
    const now = clock.monotonic();
    const isFirst = lastSignalAt === null;
    if (lastSignalAt !== null && now - lastSignalAt < DUPLICATE_SIGNAL_MS) return;
    lastSignalAt = now;
    if (isFirst && isRestarting) shutdown.abandonRestart();
    else if (isFirst) start(signal);
    else if (!shutdown.skipDelay()) process.exit(1);
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  process.on('SIGHUP', reload);
  // Without a listener, the signal would end the process.
  process.on('SIGUSR2', () =>
    log.warn(
      {},
      'SIGUSR2 was ignored, because this process is not a supervisor; to restart processes one at a time, set server.processes to at least 2 and send SIGUSR2 to the supervisor, which is the process that was started first',
    ),
  );
  return () => {
    if (lastSignalAt !== null || isRestarting) return;
    isRestarting = true;
    start('restart');
  };
}
