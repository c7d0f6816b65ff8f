import type { Clock, Evaluation, Outcome, Plan, Recovery } from './clock.ts';
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
  evaluation: Evaluation,
  atMs: number,
  pause: { readonly until: number | null } | null,
): Clock {
  const paused = pause !== null;
  evaluation.periods.push({
    status: paused ? 'paused' : 'waiting',
    startedAt: atMs,
    reason: paused ? 'paused' : 'created',
  });
  return {
    status: paused ? 'paused' : 'waiting',
    lastBeatAt: null,
    anchorAt: atMs,
    expectedAt: null,
    dueAt: paused ? null : firstBeatDue(evaluation.plan, atMs),
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
export function beat(clock: Clock, evaluation: Evaluation, call: Beat): Beaten {
  const { plan } = evaluation;
  const { at, kind } = call;
  const settled = settle(clock, evaluation, Math.min(at, call.heardFrom ?? at));
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
  const heard = kind === 'ok' ? recover(noted, at, evaluation) : fail(noted, evaluation, at, null);
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
  if (clock.status === 'healthy') return well;
  return enter(well, { status: 'healthy', startedAt: at, reason: 'beat' }, out);
}

/** No failing goes on: who was told that it began is told that it is over. */
function closed(clock: Clock, at: number, by: Recovery, out: Outcome): Clock {
  if (clock.alertedSince !== null)
    out.notices.push({ event: 'recovered', at, since: clock.alertedSince, by });
  return { ...clock, misses: 0, alertedSince: null, failingSince: null };
}

/** The monitor is removed and no longer judged. Who was told that it fails is told that this is over. */
export function end(settled: Clock, atMs: number, out: Outcome): Clock {
  const over = closed(settled, atMs, 'deleted', out);
  if (settled.status === 'paused') return over;
  return { ...pausedFrom(over, atMs, out), expectedAt: null, dueAt: null };
}

/** Pauses until `until`, or until somebody resumes it. Pausing twice only changes the end. */
export function pause(settled: Clock, atMs: number, until: number | null, out: Outcome): Clock {
  if (settled.status === 'paused') return { ...settled, pausedUntil: until };
  const paused = pausedFrom(closed(settled, atMs, 'pause', out), atMs, out);
  return { ...paused, pausedUntil: until, expectedAt: null, dueAt: null };
}

function pausedFrom(clock: Clock, atMs: number, out: Outcome): Clock {
  return enter(clock, { status: 'paused', startedAt: atMs, reason: 'paused' }, out);
}

/** Ends a pause now; nothing for a monitor that is not paused. */
export function unpause(settled: Clock, evaluation: Evaluation, atMs: number): Clock {
  return settled.status === 'paused' ? resume(settled, evaluation, atMs) : settled;
}

/**
 * Another schedule or grace from `atMs` on, for a clock that the old one has settled. By the new one nothing is due before
 * `atMs` plus its grace, and a failing monitor stays so until it beats.
 */
export function replan(settled: Clock, plan: Plan, next: Plan, atMs: number): Clock {
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
