import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

/** One Ctrl-C arrives several times: from the terminal, and from npm and the wrapper that hand it on. */
const DUPLICATE_SIGNAL_MS = 500;

/** HUP reloads, TERM and INT drain and end; a second TERM or INT ends at once. */
export function handleProcessSignals(
  clock: Clock,
  log: Log,
  reload: () => void,
  stop: () => Promise<void>,
): void {
  let stoppingSince: number | null = null;
  const end = (signal: string) => {
    const now = clock.monotonic();
    if (stoppingSince !== null) {
      if (now - stoppingSince >= DUPLICATE_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = now;
    log.info({ signal }, 'draining');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the drain failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  process.on('SIGHUP', reload);
}
