import type { Clock, Gap, Outcome, Plan, Recovery } from './clock.ts';
import { withInterval } from './intervals.ts';
import { settle } from './settle.ts';
import { enter, fail, firstBeatDue, resume } from './transitions.ts';

/** A call of a job: `ok` and `fail` keep the promise; `start` and `log` do not. */
export interface Beat {
  readonly kind: 'ok' | 'fail' | 'start' | 'log';
  /** When the request was accepted, in database time. */
  readonly at: number;
  /** It may have arrived as early as then, and was not read before `at`; absent: it was read at once. */
  readonly heardFrom?: number;
  /** Pairs a start with its end when runs overlap. */
  readonly runId: string | null;
}

export interface Beaten {
  readonly clock: Clock;
  /** From the start of the run to this beat; null when no start was seen. */
  readonly durationMs: number | null;
}

/** Longer than this after its start, an end belongs to another run. */
const RUN_MS = 72 * 60 * 60 * 1000;

/** A new monitor: waits for its first beat, or is paused from the beginning. */
export function begin(
  plan: Plan,
  atMs: number,
  pause: { readonly until: number | null } | null,
  out: Outcome,
): Clock {
  const paused = pause !== null;
  out.periods.push({
    status: paused ? 'paused' : 'waiting',
    startedAt: atMs,
    reason: paused ? 'paused' : 'created',
  });
  return {
    status: paused ? 'paused' : 'waiting',
    lastBeatAt: null,
    anchorAt: atMs,
    expectedAt: null,
    dueAt: paused ? null : firstBeatDue(plan, atMs),
    failingSince: null,
    misses: 0,
    alertedSince: null,
    extendedFrom: null,
    intervals: '',
    pausedUntil: pause?.until ?? null,
    periodAt: atMs,
    settledAt: atMs,
    runAt: null,
    runId: null,
  };
}

/**
 * Takes a beat: first what was missed until then, then the beat itself, so that it makes no difference whether a
 * sweep looked in between. A beat older than the newest one is only a row: it moves nothing back.
 */
export function beat(clock: Clock, plan: Plan, gaps: readonly Gap[], call: Beat, out: Outcome): Beaten {
  const { at, kind } = call;
  const settled = settle(clock, plan, gaps, Math.min(at, call.heardFrom ?? at), out);
  if (kind === 'log') return { clock: settled, durationMs: null };
  if (kind === 'start') return { clock: { ...settled, runAt: at, runId: call.runId }, durationMs: null };
  const run = endRun(settled, call);
  if (run.clock.lastBeatAt !== null && at < run.clock.lastBeatAt) return { ...run, clock: settled };
  const { lastBeatAt, intervals } = run.clock;
  const noted: Clock = {
    ...run.clock,
    lastBeatAt: at,
    intervals: lastBeatAt === null ? '' : withInterval(intervals, at - lastBeatAt),
  };
  if (noted.status === 'paused') return { ...run, clock: noted };
  const heard = kind === 'ok' ? recover(noted, at, out) : fail(noted, plan, at, 1, 'failed', out);
  const expectedAt = plan.promises.afterBeat(at);
  const next: Clock = {
    ...heard,
    anchorAt: at,
    extendedFrom: null,
    expectedAt,
    dueAt: expectedAt === null ? null : expectedAt + plan.graceMs,
  };
  return { ...run, clock: next };
}

/** An end closes the run of its id; a failure, and a run without id, closes whatever is open. */
function endRun(clock: Clock, { at, kind, runId }: Beat): Beaten {
  const { runAt } = clock;
  if (runAt === null) return { clock, durationMs: null };
  if (clock.runId !== runId && runId !== null && kind !== 'fail') return { clock, durationMs: null };
  const durationMs = at - runAt;
  return {
    clock: { ...clock, runAt: null, runId: null },
    durationMs: durationMs >= 0 && durationMs <= RUN_MS && clock.runId === runId ? durationMs : null,
  };
}

function recover(clock: Clock, at: number, out: Outcome): Clock {
  const well = closed(clock, at, 'beat', out);
  return clock.status === 'healthy' ? well : enter(well, 'healthy', at, 'beat', out);
}

/** No failing goes on: who was told that it began is told that it is over. */
function closed(clock: Clock, at: number, by: Recovery, out: Outcome): Clock {
  if (clock.alertedSince !== null)
    out.notices.push({ event: 'recovered', at, since: clock.alertedSince, by });
  return { ...clock, misses: 0, alertedSince: null, failingSince: null };
}

/** The monitor is removed and no longer judged. Who was told that it fails is told that this is over. */
export function end(
  clock: Clock,
  plan: Plan,
  { gaps, settledUntil }: { readonly gaps: readonly Gap[]; readonly settledUntil: number },
  atMs: number,
  out: Outcome,
): Clock {
  const settled = settle(clock, plan, gaps, Math.min(atMs, settledUntil), out);
  const over = closed(settled, atMs, 'deleted', out);
  if (settled.status === 'paused') return over;
  return { ...enter(over, 'paused', atMs, 'paused', out), expectedAt: null, dueAt: null };
}

/** Pauses until `until`, or until somebody resumes it. Pausing twice only changes the end. */
export function pause(
  clock: Clock,
  plan: Plan,
  gaps: readonly Gap[],
  atMs: number,
  until: number | null,
  out: Outcome,
  settledUntil = atMs,
): Clock {
  const settled = settle(clock, plan, gaps, Math.min(atMs, settledUntil), out);
  if (settled.status === 'paused') return { ...settled, pausedUntil: until };
  const paused = enter(closed(settled, atMs, 'pause', out), 'paused', atMs, 'paused', out);
  return { ...paused, pausedUntil: until, expectedAt: null, dueAt: null };
}

/** Ends a pause now; nothing for a monitor that is not paused. */
export function unpause(
  clock: Clock,
  plan: Plan,
  gaps: readonly Gap[],
  atMs: number,
  out: Outcome,
  settledUntil = atMs,
): Clock {
  const settled = settle(clock, plan, gaps, Math.min(atMs, settledUntil), out);
  return settled.status === 'paused' ? resume(settled, plan, atMs, out) : settled;
}

/**
 * Another schedule or grace from `atMs` on. What was due before is judged by the old one; by the new one nothing
 * is due before `atMs` plus its grace, and a failing monitor stays so until it beats.
 *
 * @param settledUntil what was due from then on may still arrive and is not judged by this change
 */
export function replan(
  clock: Clock,
  plan: Plan,
  next: Plan,
  gaps: readonly Gap[],
  atMs: number,
  out: Outcome,
  settledUntil = atMs,
): Clock {
  const settled = settle(clock, plan, gaps, Math.min(atMs, settledUntil), out);
  const same = sameSchedule(plan, next);
  if (settled.status === 'paused') return settled;
  if (same && plan.graceMs === next.graceMs && plan.firstBeatDueMs === next.firstBeatDueMs) return settled;
  if (settled.expectedAt === null && settled.lastBeatAt === null) {
    // Reported already: once is enough, whatever the schedule.
    if (settled.dueAt === null) return settled;
    const dueAt = firstBeatDue(next, settled.periodAt);
    return { ...settled, dueAt: dueAt === null ? null : Math.max(dueAt, atMs) };
  }
  const expectedAt = same ? settled.expectedAt : nextPromise(settled, next, atMs);
  const dueAt = expectedAt === null ? null : Math.max(expectedAt, atMs) + next.graceMs;
  return { ...settled, expectedAt, dueAt };
}

/** Instants before the change were never promised by the new schedule, but for the one that is running. */
function nextPromise({ status, anchorAt }: Clock, next: Plan, atMs: number): number | null {
  return status === 'failing'
    ? next.promises.firstAfter(anchorAt, atMs)
    : next.promises.lastUntil(anchorAt, atMs);
}

function sameSchedule({ schedule: one }: Plan, { schedule: other }: Plan): boolean {
  if (one.kind === 'interval') return other.kind === 'interval' && one.intervalMs === other.intervalMs;
  return other.kind === 'cron' && one.cron === other.cron && one.timezone === other.timezone;
}
