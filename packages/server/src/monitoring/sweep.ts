import { lockDueMonitorStates } from '../store/monitoring/monitor-states.ts';
import type { Database } from '../store/store-interfaces.ts';
import { evaluateStateUntil } from './evaluate-state-until.ts';
import { createMonitorStateEvaluation } from './monitor-state.ts';
import { parseMonitorState, parseMonitorTiming, toMonitorStateColumns } from './monitor-state-columns.ts';
import { MonitoringUnitOfWork } from './monitoring-unit-of-work.ts';
import type { MonitorEvaluationContext } from './read-monitors.ts';

/**
 * The maximum number of monitors per sweep batch. It is small, so that the process can handle beats between
 * two batches.
 */
export const MAX_MONITORS_PER_SWEEP_BATCH = 1_000;

/** The result of one sweep batch. */
export interface SweepResult {
  /** Number of evaluated monitors. */
  readonly evaluated: number;
  /** Number of evaluated monitors that missed beats. */
  readonly missed: number;
}

/**
 * Evaluates one batch of monitors that were due before `committedUntil`. A single transaction locks their
 * states, evaluates them, and writes the new states, checks, periods and alerts. Several processes can run
 * this at the same time, each for different monitors.
 */
export function sweepDueMonitors(
  database: Pick<Database, 'rowTransaction'>,
  { gaps, committedUntil, nowMs }: MonitorEvaluationContext,
  limit: number = MAX_MONITORS_PER_SWEEP_BATCH,
): Promise<SweepResult> {
  return database.rowTransaction(async (writer) => {
    const rows = await lockDueMonitorStates(writer, committedUntil, limit);
    const book = new MonitoringUnitOfWork(writer, nowMs);
    let missed = 0;
    for (const row of rows) {
      const evaluation = createMonitorStateEvaluation(parseMonitorTiming(row), gaps);
      const state = evaluateStateUntil(parseMonitorState(row), evaluation, committedUntil);
      book.updateState({ ...row, ...toMonitorStateColumns(state) });
      book.addHistory(row, evaluation);
      if (evaluation.inferredChecks.length > 0) missed += 1;
    }
    await book.write();
    return { evaluated: rows.length, missed };
  });
}
