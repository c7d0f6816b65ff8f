import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { expireLiveEvents } from '../../store/live-events.ts';
import type { Database } from '../../store/store-interfaces.ts';

const EXPIRE_INTERVAL_MS = 60_000;

/** The background task that deletes old live events. */
export interface LiveEventExpiry {
  close(): void;
}

/** Starts to delete old live events once a minute. */
export function startLiveEventExpiry({
  database,
  clock,
  log,
}: {
  readonly database: Pick<Database, 'rowTransaction'>;
  readonly clock: Clock;
  readonly log: Log;
}): LiveEventExpiry {
  let timer: Timer;
  let isClosed = false;
  const next = () => {
    timer = clock.after(EXPIRE_INTERVAL_MS, () => {
      database
        .rowTransaction((writer) => expireLiveEvents(writer, clock.now()))
        .catch((error: unknown) =>
          log.debug({ err: error }, 'old live events could not be deleted; retrying in a minute'),
        )
        .finally(() => {
          if (!isClosed) next();
        });
    });
  };
  next();
  return {
    close() {
      isClosed = true;
      timer.cancel();
    },
  };
}
