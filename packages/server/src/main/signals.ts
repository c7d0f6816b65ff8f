import type { Log } from '../core/log.ts';

/** HUP reloads, TERM and INT drain and end; a second TERM or INT ends at once. */
export function onSignals(log: Log, reload: () => void, stop: () => Promise<void>): void {
  let stopping = false;
  const end = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
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
