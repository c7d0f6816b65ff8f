import { shiftFutureMonitorPeriods } from '../store/monitoring/monitor-history.ts';
import { lockFutureMonitorStates, updateMonitorStates } from '../store/monitoring/monitor-states.ts';
import type { MonitorStateRow } from '../store/monitoring/monitoring-rows.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import type { MonitorState, MonitorTiming } from './monitor-state.ts';
import { parseMonitorState, parseMonitorTiming, toMonitorStateColumns } from './monitor-state-columns.ts';
import type { FailedEvaluation } from './sweep.ts';

/**
 * Corrects monitor states and periods after the clock of the database server was set back to `nowMs`. Moves
 * times after `nowMs` back by `aheadMs`, so that deadlines keep their distance from the preceding beats.
 * Recomputes the expected times of cron schedules. Does not change checks. Does not change monitors that
 * cannot be evaluated, and returns them.
 */
export async function rewindMonitorStates(
  writer: DatabaseWriter,
  nowMs: number,
  aheadMs: number,
): Promise<readonly FailedEvaluation[]> {
  const rows = await lockFutureMonitorStates(writer, nowMs);
  const moved: MonitorStateRow[] = [];
  const failures: FailedEvaluation[] = [];
  for (const row of rows) {
    let state: MonitorState;
    try {
      state = rewindMonitorState(parseMonitorState(row), parseMonitorTiming(row), nowMs, aheadMs);
    } catch (error) {
      failures.push({ orgId: row.org_id, monitorId: row.id, error });
      continue;
    }
    const periodAt =
      row.period_at > nowMs
        ? await shiftFutureMonitorPeriods(writer, row.uid, nowMs, aheadMs)
        : state.periodStartedAt;
    moved.push({ ...row, ...toMonitorStateColumns({ ...state, periodStartedAt: periodAt }) });
  }
  await updateMonitorStates(writer, moved);
  return failures;
}

/** Returns the monitor state that would have resulted if the times of its last events had been correct. */
export function rewindMonitorState(
  state: MonitorState,
  plan: MonitorTiming,
  nowMs: number,
  aheadMs: number,
): MonitorState {
  const back = (at: number) => (at > nowMs ? Math.min(nowMs, at - aheadMs) : at);
  const backOrNull = (at: number | null) => (at === null ? null : back(at));
  const isAhead = state.anchorAt > nowMs;
  const by = isAhead ? aheadMs : 0;
  const anchorAt = back(state.anchorAt);
  const lastBeatAt = backOrNull(state.lastBeatAt);
  const moved: MonitorState = {
    ...state,
    lastBeatAt,
    anchorAt,
    failingSince: backOrNull(state.failingSince),
    alertedSince: backOrNull(state.alertedSince),
    periodStartedAt: back(state.periodStartedAt),
    evaluatedUntil: nowMs,
    runStartedAt: backOrNull(state.runStartedAt),
    originalDueAt: state.originalDueAt === null ? null : state.originalDueAt - by,
  };
  const { expectedAt, dueAt, originalDueAt } = state;
  // The window comes only from the jump ahead that is now reversed.
  if (isAhead && lastBeatAt === state.lastBeatAt && lastBeatAt !== null && originalDueAt !== null)
    return {
      ...moved,
      anchorAt: lastBeatAt,
      expectedAt: originalDueAt - plan.graceMs,
      dueAt: originalDueAt,
      originalDueAt: null,
    };
  if (!isAhead || dueAt === null) return moved;
  if (expectedAt === null || plan.schedule.kind === 'interval')
    return { ...moved, expectedAt: expectedAt === null ? null : expectedAt - by, dueAt: dueAt - by };
  const next = plan.occurrences.afterBeat(anchorAt);
  return { ...moved, expectedAt: next, dueAt: next === null ? null : next + plan.graceMs };
}
