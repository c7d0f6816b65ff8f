import { sql } from 'kysely';
import { getDatabaseEngine } from '../database-engine.ts';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import type {
  MonitoringGap,
  MonitoringLivenessReport,
  MonitoringLivenessResult,
} from './monitoring-liveness-values.ts';
import { incrementRewindCount } from './rewind-count.ts';

/** Minimum difference from the monotonic clock that counts as a change of the clock. */
const CLOCK_JUMP_MS = 1_000;
/** How long after its end a gap may still be confirmed or become longer. */
const LATE_GAPS_MS = 600_000;

/**
 * Records that this process is running. Detects gaps: time spans in which no process could accept
 * beats. Calls run one at a time.
 */
export async function recordMonitoringLiveness(
  writer: DatabaseWriter,
  given: MonitoringLivenessReport,
): Promise<MonitoringLivenessResult> {
  const pulse = await lockPulse(writer);
  const seen = pulse?.seen_at ?? null;
  let rewindCount = pulse?.rewind_count ?? 0;
  const time = await readClock(writer, given, seen);
  const { nowMs, futureMs, isSetBack } = time;
  if (futureMs > 0) {
    // Before now, so that a process that starts in the same millisecond records a gap (see `findSilence`).
    rewindCount = await incrementRewindCount(writer, nowMs - 1);
    await shiftFutureLiveness(writer, nowMs, futureMs);
  }
  const others = await listPeerLeases(writer, given, nowMs);
  const gaps: MonitoringGap[] = [];
  if (given.presence === 'arriving') {
    if (others.length === 0 && seen !== null && seen < nowMs) gaps.push({ startAt: seen, endAt: nowMs });
  } else {
    await confirmGaps(writer, given, others);
    const silence = findSilence(given, time, seen);
    const isSure = given.startedAt !== null || others.length === 0;
    if (silence) await insertGap(writer, silence, isSure);
    await storePulse(writer, nowMs);
    await storeLease(writer, given, nowMs);
  }
  const acceptedUntil = given.acceptedUntilMs ?? nowMs;
  const othersUntil = Math.min(Number.POSITIVE_INFINITY, ...others.map((other) => other.accepted_until));
  const after = isSetBack ? 0 : given.gapsUntilMs - LATE_GAPS_MS;
  return {
    nowMs,
    committedUntil: Math.min(acceptedUntil, nowMs, othersUntil),
    peersCommittedUntil: othersUntil,
    gaps: [...(await listMonitoringGapsAfter(writer, after)), ...gaps],
    clockJumpMs: time.clockJumpMs,
    futureMs,
    rewindCount,
  };
}

interface ClockReading extends Pick<MonitoringLivenessResult, 'nowMs' | 'clockJumpMs' | 'futureMs'> {
  readonly isSetBack: boolean;
  /** The estimate of the database time when its clock was read. */
  readonly estimateMs: number | null;
}

/** Reads the database clock, which may have been set. If it was set back, moves recorded times back too. */
async function readClock(
  writer: DatabaseWriter,
  { readWallMs, estimateNowMs }: MonitoringLivenessReport,
  seen: number | null,
): Promise<ClockReading> {
  // The database read its clock at some time between the two estimates.
  const before = estimateNowMs();
  const clock = getDatabaseEngine(writer) === 'postgres' ? await readDatabaseTime(writer) : readWallMs();
  const after = getDatabaseEngine(writer) === 'postgres' ? estimateNowMs() : before;
  const expected = before ?? seen;
  if (expected !== null && clock < expected - CLOCK_JUMP_MS) {
    const isAhead = seen !== null && seen > clock;
    const aheadMs = isAhead ? Math.max(seen, expected) - clock : 0;
    return {
      nowMs: clock,
      clockJumpMs: clock - expected,
      futureMs: aheadMs,
      isSetBack: true,
      estimateMs: before,
    };
  }
  const steppedMs = after !== null && clock > after + CLOCK_JUMP_MS ? clock - after : 0;
  return {
    nowMs: Math.max(clock, seen ?? 0),
    clockJumpMs: steppedMs,
    futureMs: 0,
    isSetBack: false,
    estimateMs: after,
  };
}

/** Returns the time since the last pulse in which no process accepted beats; null if there is none. */
function findSilence(
  given: MonitoringLivenessReport,
  { nowMs, clockJumpMs, estimateMs, isSetBack }: ClockReading,
  seen: number | null,
): MonitoringGap | null {
  const { startedAt } = given;
  const gapThresholdMs = given.gapThresholdMs();
  if (seen === null) return null;
  if (isSetBack) {
    // A process that starts does not know how long it was down. A beat that is due now may have been sent
    // meanwhile.
    return startedAt === null ? { startAt: nowMs - 1, endAt: nowMs } : null;
  }
  if (nowMs <= seen) return null;
  const silence = { startAt: seen, endAt: nowMs };
  if (startedAt === null) return silence;
  if (clockJumpMs <= 0 || estimateMs === null) return nowMs - seen > gapThresholdMs ? silence : null;
  // The clock was set forward, or the machine slept. The process was running until then.
  const startAt = estimateMs - seen > gapThresholdMs ? seen : Math.max(seen, estimateMs);
  return nowMs - startAt > CLOCK_JUMP_MS ? { startAt, endAt: nowMs, isClockJump: startAt !== seen } : null;
}

interface ProcessLease {
  readonly process_id: string;
  readonly started_at: number;
  readonly accepted_until: number;
}

/** Returns the leases of the other running processes. */
async function listPeerLeases(
  writer: DatabaseWriter,
  given: MonitoringLivenessReport,
  nowMs: number,
): Promise<ProcessLease[]> {
  const fresh = nowMs - given.leaseTimeoutMs;
  if (given.presence !== 'arriving')
    await writer.deleteFrom('monitor_leases').where('seen_at', '<', fresh).execute();
  return writer
    .selectFrom('monitor_leases')
    .select(['process_id', 'started_at', 'accepted_until'])
    .where('process_id', '<>', given.processId)
    .where('seen_at', '>=', fresh)
    .execute();
}

/**
 * Confirms or removes inferred gaps. A process that starts cannot determine whether other processes with a
 * lease are running. If one of them sends a pulse, there was no gap. If all of them have ended, there was
 * one.
 */
async function confirmGaps(
  writer: DatabaseWriter,
  given: MonitoringLivenessReport,
  others: readonly ProcessLease[],
): Promise<void> {
  const { startedAt } = given;
  if (startedAt !== null)
    await writer
      .deleteFrom('monitor_gaps')
      .where('inferred', '=', 1)
      .where('started_at', '>=', startedAt)
      .execute();
  const earliest = Math.min(Number.POSITIVE_INFINITY, ...others.map((other) => other.started_at));
  const inferred = await writer
    .selectFrom('monitor_gaps')
    .select('started_at')
    .where('inferred', '=', 1)
    .execute();
  for (const { started_at } of inferred)
    if (earliest > started_at)
      await writer
        .updateTable('monitor_gaps')
        .set({ inferred: 0 })
        .where('started_at', '=', started_at)
        .execute();
}

/** Moves gaps and leases back that are in the future, after the clock was set back. */
async function shiftFutureLiveness(writer: DatabaseWriter, nowMs: number, aheadMs: number): Promise<void> {
  const ahead = await writer
    .selectFrom('monitor_gaps')
    .selectAll()
    .where('ended_at', '>', nowMs)
    .orderBy('started_at')
    .execute();
  await writer.deleteFrom('monitor_gaps').where('ended_at', '>', nowMs).execute();
  for (const { started_at, ended_at, inferred, clock_stepped } of ahead) {
    const startAt = started_at > nowMs ? started_at - aheadMs : started_at;
    const endAt = Math.min(nowMs, ended_at - aheadMs);
    if (endAt > startAt)
      await insertGap(writer, { startAt, endAt, isClockJump: clock_stepped === 1 }, inferred === 0);
  }
  for (const column of ['seen_at', 'accepted_until', 'started_at'] as const)
    await writer
      .updateTable('monitor_leases')
      .set({ [column]: nowMs })
      .where(column, '>', nowMs)
      .execute();
}

async function storePulse(writer: DatabaseWriter, nowMs: number): Promise<void> {
  await writer
    .insertInto('monitor_pulse')
    .values({ id: 1, seen_at: nowMs })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: nowMs }))
    .execute();
}

async function insertGap(
  writer: DatabaseWriter,
  { startAt, endAt, isClockJump }: MonitoringGap,
  isConfirmed: boolean,
): Promise<void> {
  const gap = { ended_at: endAt, inferred: isConfirmed ? 0 : 1, clock_stepped: isClockJump ? 1 : 0 };
  await writer
    .insertInto('monitor_gaps')
    .values({ started_at: startAt, ...gap })
    .onConflict((conflict) => conflict.column('started_at').doUpdateSet(gap))
    .execute();
}

async function storeLease(
  writer: DatabaseWriter,
  given: MonitoringLivenessReport,
  seenAt: number,
): Promise<void> {
  const { processId, presence, startedAt, acceptedUntilMs } = given;
  if (presence === 'leaving') {
    await writer.deleteFrom('monitor_leases').where('process_id', '=', processId).execute();
    return;
  }
  const lease = {
    seen_at: seenAt,
    accepted_until: Math.min(acceptedUntilMs ?? seenAt, seenAt),
    started_at: startedAt ?? seenAt,
  };
  await writer
    .insertInto('monitor_leases')
    .values({ process_id: processId, ...lease })
    .onConflict((conflict) => conflict.column('process_id').doUpdateSet(lease))
    .execute();
}

async function lockPulse(
  writer: DatabaseWriter,
): Promise<{ readonly seen_at: number; readonly rewind_count: number } | undefined> {
  // Without a row there is nothing to lock, so the first processes use this lock instead.
  if (getDatabaseEngine(writer) === 'postgres')
    await sql`select pg_advisory_xact_lock(7310564003)`.execute(writer);
  return writer
    .selectFrom('monitor_pulse')
    .select(['seen_at', 'rewind_count'])
    .where('id', '=', 1)
    .executeTakeFirst();
}

/** Returns the time of the PostgreSQL server in Unix milliseconds. */
export async function readDatabaseTime(reader: DatabaseReader): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(reader);
  return rows[0]?.now ?? Number.NaN;
}

/** Returns the confirmed gaps that ended after `afterMs`, in order. */
export async function listMonitoringGapsAfter(
  reader: DatabaseReader,
  afterMs: number,
): Promise<MonitoringGap[]> {
  const rows = await reader
    .selectFrom('monitor_gaps')
    .selectAll()
    .where('ended_at', '>', afterMs)
    .where('inferred', '=', 0)
    .orderBy('started_at')
    .execute();
  return rows.map(({ started_at, ended_at, clock_stepped }) => ({
    startAt: started_at,
    endAt: ended_at,
    ...(clock_stepped === 1 && { isClockJump: true }),
  }));
}
