import { lockDueClocks } from '../store/monitoring/monitor-clocks.ts';
import type { Database } from '../store/ports.ts';
import { clockColumns, clockFromRow, planFromRow } from './clock-rows.ts';
import { evaluateUntil } from './evaluate-until.ts';
import { createEvaluation } from './monitor-clock.ts';
import type { EvaluationContext } from './read-monitors.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** Small enough that beats are processed between batches. */
export const CLOCKS_PER_SWEEP = 1_000;

export interface SweepResult {
  /** Number of evaluated clocks. */
  readonly evaluated: number;
  /** Number of these with missed beats. */
  readonly missed: number;
}

/**
 * Evaluates one batch of clocks that were due before `committedUntil`. One transaction reads them with a
 * lock and writes clocks, checks, periods and alerts. Several processes may run it at the same time, on
 * different clocks.
 */
export function sweepDueClocks(
  database: Pick<Database, 'rowTransaction'>,
  { gaps, committedUntil, nowMs }: EvaluationContext,
  limit: number = CLOCKS_PER_SWEEP,
): Promise<SweepResult> {
  return database.rowTransaction(async (writer) => {
    const rows = await lockDueClocks(writer, committedUntil, limit);
    const book = new UnitOfWork(writer, nowMs);
    let missed = 0;
    for (const row of rows) {
      const evaluation = createEvaluation(planFromRow(row), gaps);
      const clock = evaluateUntil(clockFromRow(row), evaluation, committedUntil);
      book.updateClock({ ...row, ...clockColumns(clock) });
      book.addHistory(row, clock.lastBeatAt, evaluation);
      if (evaluation.inferredChecks.length > 0) missed += 1;
    }
    await book.write();
    return { evaluated: rows.length, missed };
  });
}
