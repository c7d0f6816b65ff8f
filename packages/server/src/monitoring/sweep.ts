import type { Log } from '../core/log.ts';
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

/** When the sweep evaluates a monitor again that it could not evaluate. */
const FAILED_SWEEP_RETRY_MS = 600_000;

/** A monitor that could not be evaluated. Its definition or its state is invalid. */
export interface FailedEvaluation {
  readonly orgId: string;
  readonly monitorId: string;
  readonly error: unknown;
}

/** Logs monitors that could not be evaluated. `consequence` is what does not happen because of it. */
export function logFailedEvaluations(
  log: Log,
  failures: readonly FailedEvaluation[],
  consequence: string,
): void {
  for (const { orgId, monitorId, error } of failures)
    log.error(
      { err: error, org: orgId, monitor: monitorId },
      `monitor could not be evaluated, so ${consequence}`,
    );
}

/** The result of one sweep batch. */
export interface SweepResult {
  /** Number of monitors in the batch. */
  readonly evaluated: number;
  /** Number of evaluated monitors that missed beats. */
  readonly missed: number;
  readonly failures: readonly FailedEvaluation[];
}

/**
 * Evaluates one batch of monitors that were due before `committedUntil`. A single transaction locks their
 * states, evaluates them, and writes the new states, checks, periods and alerts. Several processes can run
 * this at the same time, each for different monitors. A monitor that cannot be evaluated does not affect the others.
 */
export function sweepDueMonitors(
  database: Pick<Database, 'rowTransaction'>,
  { gaps, committedUntil, nowMs }: MonitorEvaluationContext,
  limit: number = MAX_MONITORS_PER_SWEEP_BATCH,
): Promise<SweepResult> {
  return database.rowTransaction(async (writer) => {
    const rows = await lockDueMonitorStates(writer, committedUntil, limit);
    const book = new MonitoringUnitOfWork(writer, nowMs);
    const failures: FailedEvaluation[] = [];
    let missed = 0;
    for (const row of rows)
      try {
        const evaluation = createMonitorStateEvaluation(parseMonitorTiming(row), gaps);
        const state = evaluateStateUntil(parseMonitorState(row), evaluation, committedUntil);
        book.updateState({ ...row, ...toMonitorStateColumns(state) });
        book.addHistory(row, evaluation);
        if (evaluation.inferredChecks.length > 0) missed += 1;
      } catch (error) {
        failures.push({ orgId: row.org_id, monitorId: row.id, error });
        book.updateState({ ...row, wake_at: committedUntil + FAILED_SWEEP_RETRY_MS });
      }
    await book.write();
    return { evaluated: rows.length, missed, failures };
  });
}
