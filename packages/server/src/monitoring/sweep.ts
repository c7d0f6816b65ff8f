import { lockDueMonitorClocks } from '../store/monitoring/monitor-clocks.ts';
import type { Database } from '../store/ports.ts';
import { evaluateClockUntil } from './evaluate-clock-until.ts';
import { createClockEvaluation } from './monitor-clock.ts';
import { parseMonitorClock, parseMonitorPlan, toMonitorClockColumns } from './monitor-clock-columns.ts';
import { MonitoringUnitOfWork } from './monitoring-unit-of-work.ts';
import type { MonitorEvaluationContext } from './read-monitors.ts';

/**
 * The maximum number of monitors per sweep batch. It is small enough that beats are processed
 * between batches.
 */
export const MAX_CLOCKS_PER_SWEEP_BATCH = 1_000;

export interface SweepResult {
  /** Number of evaluated clocks. */
  readonly evaluated: number;
  /** Number of these with missed beats. */
  readonly missed: number;
}

/**
 * Evaluates one batch of monitors that were due before `committedUntil`. One transaction locks and
 * reads their state, and writes states, checks, periods and alerts. Several processes may run it at
 * the same time for different monitors.
 */
export function sweepDueMonitors(
  database: Pick<Database, 'rowTransaction'>,
  { gaps, committedUntil, nowMs }: MonitorEvaluationContext,
  limit: number = MAX_CLOCKS_PER_SWEEP_BATCH,
): Promise<SweepResult> {
  return database.rowTransaction(async (writer) => {
    const rows = await lockDueMonitorClocks(writer, committedUntil, limit);
    const book = new MonitoringUnitOfWork(writer, nowMs);
    let missed = 0;
    for (const row of rows) {
      const evaluation = createClockEvaluation(parseMonitorPlan(row), gaps);
      const clock = evaluateClockUntil(parseMonitorClock(row), evaluation, committedUntil);
      book.updateClock({ ...row, ...toMonitorClockColumns(clock) });
      book.addHistory(row, clock.lastBeatAt, evaluation);
      if (evaluation.inferredChecks.length > 0) missed += 1;
    }
    await book.write();
    return { evaluated: rows.length, missed };
  });
}
