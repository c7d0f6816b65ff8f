import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { ConsoleSessionSettings } from '../platform/sign-in/console-session-settings.ts';
import { deleteExpiredSignInData } from '../store/console-sessions.ts';
import { RetentionStopped, runAllSteps } from '../store/deletion-batches.ts';
import { expireMonitorHistory } from '../store/monitoring/monitor-history.ts';
import {
  expireAlertsInBatches,
  expireHistoryExceptExchanges,
  limitToDatabaseTime,
} from '../store/retention.ts';
import { raiseRetentionStart } from '../store/settings.ts';
import type { Database } from '../store/store-interfaces.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Delay of the first round, so that it does not slow down the start. */
const INITIAL_DELAY_MS = 60_000;

/** How long each kind of data is kept, in days. */
export interface RetentionSettings {
  /** The policy of console sessions. It determines how long an unused session is kept. */
  readonly sessions: Pick<ConsoleSessionSettings, 'idleMs'>;
  readonly requests_days: number;
  readonly audit_days: number;
  readonly responses_days: number;
  readonly bodies_days: number;
  readonly checks_days: number;
}

type RetentionDatabase = Pick<Database, 'expireExchanges' | 'read' | 'transaction' | 'rowTransaction'>;

/** The background task that deletes expired data. */
export interface RetentionTask {
  /** Resolves when no round is running. */
  settled(): Promise<void>;
  /** Stops further rounds. The running one ends after its current batch. */
  close(): Promise<void>;
}

/**
 * Starts to delete data whose retention time has passed, one minute after the start and then
 * hourly.
 */
export function startRetention(
  database: RetentionDatabase,
  clock: Clock,
  log: Log,
  days: () => RetentionSettings,
): RetentionTask {
  let timer: Timer | null = null;
  let round = Promise.resolve();
  let closed = false;
  const stoppable = stopWhen(() => closed, database);
  const next = (ms: number) => {
    timer = clock.after(ms, () => {
      round = runRetention(stoppable, clock.now(), days(), log).finally(() => {
        if (!closed) next(HOUR_MS);
      });
    });
  };
  next(INITIAL_DELAY_MS);
  return {
    settled: () => round,
    async close() {
      closed = true;
      timer?.cancel();
      await round;
    },
  };
}

/** Returns a wrapper of the database that begins no further transaction once `isStopped` returns true. */
function stopWhen(isStopped: () => boolean, database: RetentionDatabase): RetentionDatabase {
  const requireRunning = () => {
    if (isStopped()) throw new RetentionStopped();
  };
  return {
    read: database.read,
    async expireExchanges(beforeMs) {
      requireRunning();
      return database.expireExchanges(beforeMs);
    },
    async transaction(work) {
      requireRunning();
      return database.transaction(work);
    },
    async rowTransaction(work) {
      requireRunning();
      return database.rowTransaction(work);
    },
  };
}

/** Runs one round. If the database is unavailable, the data is deleted in the next round. */
async function runRetention(
  database: RetentionDatabase,
  localMs: number,
  { requests_days, audit_days, checks_days, responses_days, bodies_days, sessions }: RetentionSettings,
  log: Log,
): Promise<void> {
  try {
    const nowMs = await limitToDatabaseTime(database.read, localMs);
    const requestsMs = nowMs - requests_days * DAY_MS;
    await runAllSteps([
      async () => {
        await database.transaction((writer) =>
          raiseRetentionStart(writer, 'requests_kept_from', { startMs: requestsMs, nowMs }),
        );
        if (await database.expireExchanges(requestsMs))
          log.info({ days: requests_days }, 'exchanges older than the retention period were removed');
      },
      () =>
        expireHistoryExceptExchanges(database, {
          requestsMs,
          auditMs: nowMs - audit_days * DAY_MS,
          responsesMs: nowMs - responses_days * DAY_MS,
          bodiesMs: nowMs - bodies_days * DAY_MS,
          nowMs,
        }),
      async () => {
        const checks = await expireMonitorHistory(database, nowMs - checks_days * DAY_MS);
        if (checks > 0)
          log.info({ checks, days: checks_days }, 'checks older than the retention period were removed');
      },
      () =>
        database.transaction((writer) =>
          deleteExpiredSignInData(writer, { nowMs, idleMs: sessions.idleMs, triesMs: DAY_MS }),
        ),
      () => expireAlertsInBatches(database, nowMs - checks_days * DAY_MS),
    ]);
  } catch (error) {
    if (error instanceof RetentionStopped) return;
    log.warn(
      { err: error },
      'data older than the retention period could not be removed; retrying in an hour',
    );
  }
}
