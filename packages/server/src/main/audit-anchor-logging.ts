import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { listDailyAuditAnchors } from '../store/audit-chain.ts';
import { listOrgs } from '../store/orgs.ts';
import type { Database } from '../store/store-interfaces.ts';

const INITIAL_DELAY_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Logs the last hash of each organization's audit chain, one minute after the start and then daily. If the
 * log is collected on another host, these hashes can later show whether a chain was rewritten.
 */
export function startAuditAnchorLogging(database: Pick<Database, 'read'>, clock: Clock, log: Log) {
  let timer: Timer | null = null;
  let isClosed = false;
  let round = Promise.resolve();
  const next = (ms: number) => {
    timer = clock.after(ms, () => {
      round = logAnchors(database, log)
        .catch((error: unknown) =>
          log.warn(
            { err: error },
            'could not read the audit anchors for the daily log entry; retrying in a day',
          ),
        )
        .finally(() => {
          if (!isClosed) next(DAY_MS);
        });
    });
  };
  next(INITIAL_DELAY_MS);
  return {
    settled: () => round,
    async close() {
      isClosed = true;
      timer?.cancel();
      await round;
    },
  };
}

async function logAnchors({ read }: Pick<Database, 'read'>, log: Log): Promise<void> {
  for (const { id } of await listOrgs(read)) {
    const [end] = await listDailyAuditAnchors(read, id, 1);
    if (end) log.info({ org_id: id, seq: end.seq, hash: end.hash }, 'audit anchor');
  }
}
