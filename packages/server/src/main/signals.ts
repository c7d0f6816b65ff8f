import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

/** Ctrl-C reaches the whole process group and the wrapper hands it on as well: one press, two signals. */
const SAME_PRESS_MS = 1_000;

/** HUP reloads, TERM and INT drain and end; a second TERM or INT, a second later or more, ends at once. */
export function onSignals(clock: Clock, log: Log, reload: () => void, stop: () => Promise<void>): void {
  let stoppingSince: number | null = null;
  const end = (signal: string) => {
    if (stoppingSince !== null) {
      if (clock.monotonic() - stoppingSince >= SAME_PRESS_MS) process.exit(1);
      return;
    }
    stoppingSince = clock.monotonic();
    log.info({ signal }, 'draining; the same signal again ends at once');
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
