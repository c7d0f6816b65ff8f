import { Fault } from '@floe/contract/faults';
import { sql } from 'kysely';
import { getDatabaseEngine } from '../database-engine.ts';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';

/** Thrown if recorded times were moved back since the process last read the clock. Nothing was written. */
export class OutdatedTimeFault extends Fault {
  constructor() {
    super('overloaded', 'The clock of the database was set back during the request. Retry the request.', {
      retryAfterMs: 1_000,
    });
  }
}

/**
 * Requires that recorded times were not moved back since the process read `rewindCount`, and blocks such moves until the
 * transaction ends. Each transaction that writes times of monitors must call it before it locks their states. Otherwise,
 * a process that does not know yet that the clock was set back would write times that are in the future.
 * @throws OutdatedTimeFault
 */
export async function requireRewindCount(writer: DatabaseWriter, rewindCount: number): Promise<void> {
  // This lock does not wait for other pulses, and they do not wait for it.
  const lock = getDatabaseEngine(writer) === 'postgres' ? sql`for key share` : sql``;
  if ((await readRewindCount(writer, lock)) !== rewindCount) throw new OutdatedTimeFault();
}

/**
 * Records that the transaction moves recorded times back, and moves the time of the last pulse to `seenAt`. Waits for
 * all transactions that called `requireRewindCount`. Returns the new count.
 */
export async function incrementRewindCount(writer: DatabaseWriter, seenAt: number): Promise<number> {
  const lock = getDatabaseEngine(writer) === 'postgres' ? sql`for update` : sql``;
  const rewindCount = (await readRewindCount(writer, lock)) + 1;
  await writer
    .updateTable('monitor_pulse')
    .set({ rewind_count: rewindCount, seen_at: seenAt })
    .where('id', '=', 1)
    .execute();
  return rewindCount;
}

async function readRewindCount(reader: DatabaseReader, lock: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{
    rewind_count: number;
  }>`select rewind_count from monitor_pulse where id = 1 ${lock}`.execute(reader);
  return rows[0]?.rewind_count ?? 0;
}
