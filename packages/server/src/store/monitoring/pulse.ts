import { sql } from 'kysely';
import type { Engine, Reader, Writer } from '../ports.ts';

export interface PulseGiven {
  readonly processId: string;
  /** The process's clock; PostgreSQL uses its own instead. */
  readonly nowMs: number;
  /** How far the beats of this process are committed, less than `nowMs`: see `MonitorLeasesTable`. */
  readonly lagMs: number;
  /** A silence longer than this was one of everybody: a gap. A process that begins ends any silence. */
  readonly silenceMs: number;
  readonly beginning: boolean;
  /** Gives up the lease: this process takes no beats any more. */
  readonly ending: boolean;
}

export interface PulseTaken {
  /** Time of the database, never less than at any pulse before. */
  readonly nowMs: number;
  /** All processes have committed what they accepted before this instant. */
  readonly settledUntil: number;
  /** A silence that just ended. */
  readonly gap: StoredGap | null;
}

export interface StoredGap {
  readonly startAt: number;
  readonly endAt: number;
}

/** Says that this process is there, and finds out whether for a while none was. Serialised by the one row. */
export async function takePulse(writer: Writer, engine: Engine, given: PulseGiven): Promise<PulseTaken> {
  const seen = await lockPulse(writer, engine);
  const clock = engine === 'postgres' ? await databaseNow(writer) : given.nowMs;
  const nowMs = Math.max(clock, seen ?? 0);
  const fresh = nowMs - given.silenceMs;
  await writer.deleteFrom('monitor_leases').where('seen_at', '<', fresh).execute();
  const others = await writer
    .selectFrom('monitor_leases')
    .select('accepted_until')
    .where('process_id', '<>', given.processId)
    .execute();
  const silent = seen !== null && (seen < fresh || (given.beginning && others.length === 0)) && seen < nowMs;
  const gap = silent && seen !== null ? { startAt: seen, endAt: nowMs } : null;
  if (gap)
    await writer
      .insertInto('monitor_gaps')
      .values({ started_at: gap.startAt, ended_at: gap.endAt })
      .onConflict((conflict) => conflict.column('started_at').doUpdateSet({ ended_at: gap.endAt }))
      .execute();
  await writer
    .insertInto('monitor_pulse')
    .values({ id: 1, seen_at: nowMs })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: nowMs }))
    .execute();
  const acceptedUntil = nowMs - given.lagMs;
  await putLease(writer, given, nowMs, acceptedUntil);
  return {
    nowMs,
    settledUntil: Math.min(acceptedUntil, ...others.map((other) => other.accepted_until)),
    gap,
  };
}

async function putLease(writer: Writer, given: PulseGiven, seenAt: number, acceptedUntil: number) {
  const { processId, ending } = given;
  if (ending) {
    await writer.deleteFrom('monitor_leases').where('process_id', '=', processId).execute();
    return;
  }
  const lease = { seen_at: seenAt, accepted_until: acceptedUntil };
  await writer
    .insertInto('monitor_leases')
    .values({ process_id: processId, ...lease })
    .onConflict((conflict) => conflict.column('process_id').doUpdateSet(lease))
    .execute();
}

async function lockPulse(writer: Writer, engine: Engine): Promise<number | null> {
  // Before there is a row there is nothing to lock: two first processes take turns here instead.
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(7310564003)`.execute(writer);
  const row = await writer.selectFrom('monitor_pulse').select('seen_at').where('id', '=', 1).executeTakeFirst();
  return row?.seen_at ?? null;
}

async function databaseNow(writer: Writer): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(writer);
  return rows[0]?.now ?? Number.NaN;
}

/** Gaps in order that ended after `afterMs`. */
export async function gapsAfter(reader: Reader, afterMs: number): Promise<StoredGap[]> {
  const rows = await reader
    .selectFrom('monitor_gaps')
    .selectAll()
    .where('ended_at', '>', afterMs)
    .orderBy('started_at')
    .execute();
  return rows.map((row) => ({ startAt: row.started_at, endAt: row.ended_at }));
}
