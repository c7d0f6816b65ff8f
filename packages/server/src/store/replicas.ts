import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Database, Reader, Writer } from './ports.ts';

const RENEW_MS = 5_000;
const LEASE_MS = 15_000;

/** The processes at work on one store, by leases that each renews. */
export interface Replicas {
  /** At least 1: this one. What was last read; never waits. */
  count(): number;
  close(): Promise<void>;
}

/** Joins the processes of a database; SQLite has one by nature. */
export async function joinReplicas(
  database: Pick<Database, 'engine' | 'transaction' | 'read' | 'signals'>,
  clock: Clock,
  log: Log,
): Promise<Replicas> {
  const id = randomUUID();
  if (database.engine === 'sqlite') return { count: () => 1, close: async () => undefined };
  let known = 1;
  let timer: Timer | null = null;
  let closed = false;
  async function renew(isNew: boolean): Promise<void> {
    try {
      known = await database.transaction(async (writer) => {
        // Told to the others at once: each one's share of a limit is smaller from now on.
        if (isNew) await database.signals.announce(writer);
        return renewLease(writer, id, clock.now());
      });
    } catch (error) {
      log.warn({ err: error }, 'the lease of this process could not be renewed');
    }
  }
  function renewLater(): void {
    timer = clock.after(RENEW_MS, () => void renew(false).then(() => closed || renewLater()));
  }
  database.signals.onChange(() => {
    countLeases(database.read).then(
      (count) => {
        known = Math.max(1, count);
      },
      () => undefined,
    );
  });
  await renew(true);
  renewLater();
  return {
    count: () => known,
    async close() {
      closed = true;
      timer?.cancel();
      await database
        .transaction(async (writer) => {
          await writer.deleteFrom('replicas').where('id', '=', id).execute();
        })
        .catch((error: unknown) => log.warn({ err: error }, 'the lease of this process ends by itself'));
    },
  };
}

/** Renews one lease, forgets those that ended, and counts what is left. */
export async function renewLease(writer: Writer, id: string, nowMs: number): Promise<number> {
  await writer
    .insertInto('replicas')
    .values({ id, seen_at: nowMs })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: nowMs }))
    .execute();
  await writer
    .deleteFrom('replicas')
    .where('seen_at', '<', nowMs - LEASE_MS)
    .execute();
  return countLeases(writer);
}

async function countLeases(reader: Reader): Promise<number> {
  const { count } = await reader
    .selectFrom('replicas')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
