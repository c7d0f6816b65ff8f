import { sql } from 'kysely';
import type { Engine, Reader, Writer } from '../ports.ts';

export interface PulseGiven {
  readonly processId: string;
  /** The process's wall clock; PostgreSQL reads its own instead. */
  readonly wallMs: number;
  /** What this process takes the database's time to be; null at its first pulse. */
  readonly estimateMs: number | null;
  /** Every beat it accepted before is committed, or was refused; null for nothing accepted yet. */
  readonly acceptedUntilMs: number | null;
  /** A silence longer than this was one of everybody: a gap. A process that begins ends any silence. */
  readonly silenceMs: number;
  /** Gives up the lease: this process takes no beats any more. */
  readonly ending: boolean;
  /** Gaps that ended until then are known. */
  readonly gapsUntilMs: number;
}

export interface PulseTaken {
  /** Time of the database; never less than at any pulse before. */
  readonly nowMs: number;
  /** This and every other process has committed what it accepted before this instant. */
  readonly settledUntil: number;
  /** The same of the others alone; infinite when there are none. */
  readonly othersUntil: number;
  /** Gaps that were not known, in order. */
  readonly gaps: readonly StoredGap[];
}

export interface StoredGap {
  readonly startAt: number;
  readonly endAt: number;
}

/** A clock that went back further than this was set: time goes on from where it was. */
const STEP_MS = 1_000;

/** Says that this process is there, and finds out whether for a while none was. Serialised by the one row. */
export async function takePulse(writer: Writer, engine: Engine, given: PulseGiven): Promise<PulseTaken> {
  const { processId, estimateMs } = given;
  const seen = await lockPulse(writer, engine);
  const clock = engine === 'postgres' ? await databaseNow(writer) : given.wallMs;
  const steady = estimateMs !== null && clock < estimateMs - STEP_MS ? estimateMs : clock;
  const nowMs = Math.max(steady, seen ?? 0);
  const fresh = nowMs - given.silenceMs;
  await writer.deleteFrom('monitor_leases').where('seen_at', '<', fresh).execute();
  const others = await writer
    .selectFrom('monitor_leases')
    .select('accepted_until')
    .where('process_id', '<>', processId)
    .execute();
  const alone = others.length === 0;
  const silent = seen !== null && seen < nowMs && (seen < fresh || (estimateMs === null && alone));
  if (silent) await insertGap(writer, { startAt: seen, endAt: nowMs });
  await putPulse(writer, nowMs);
  const acceptedUntil = given.acceptedUntilMs ?? nowMs;
  await putLease(writer, given, nowMs, acceptedUntil);
  const othersUntil = Math.min(Number.POSITIVE_INFINITY, ...others.map((other) => other.accepted_until));
  return {
    nowMs,
    settledUntil: Math.min(acceptedUntil, othersUntil),
    othersUntil,
    gaps: await gapsAfter(writer, given.gapsUntilMs),
  };
}

async function putPulse(writer: Writer, nowMs: number): Promise<void> {
  await writer
    .insertInto('monitor_pulse')
    .values({ id: 1, seen_at: nowMs })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: nowMs }))
    .execute();
}

async function insertGap(writer: Writer, { startAt, endAt }: StoredGap): Promise<void> {
  await writer
    .insertInto('monitor_gaps')
    .values({ started_at: startAt, ended_at: endAt })
    .onConflict((conflict) => conflict.column('started_at').doUpdateSet({ ended_at: endAt }))
    .execute();
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
  const row = await writer
    .selectFrom('monitor_pulse')
    .select('seen_at')
    .where('id', '=', 1)
    .executeTakeFirst();
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
