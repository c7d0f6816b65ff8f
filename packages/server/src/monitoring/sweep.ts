import { lockDue } from '../store/monitoring/clocks.ts';
import type { Database } from '../store/ports.ts';
import { Book } from './book.ts';
import { evaluationOf } from './clock.ts';
import { clockColumns, clockOfRow, planOfRow } from './clock-rows.ts';
import type { Sight } from './read.ts';
import { settle } from './settle.ts';

/** Short enough for beats to get their turn in between. */
export const CLOCKS_PER_SWEEP = 1_000;

export interface Swept {
  /** Clocks looked at. */
  readonly clocks: number;
  /** Of them those that had missed something. */
  readonly missed: number;
}

/**
 * Judges one batch of clocks that are due before `settledUntil`, in one transaction: read under lock, judged, written with
 * checks, periods and alerts. Any number of processes may do so at once; each takes other clocks.
 */
export function sweep(
  database: Pick<Database, 'rowTransaction'>,
  { gaps, settledUntil, nowMs }: Sight,
  limit: number = CLOCKS_PER_SWEEP,
): Promise<Swept> {
  return database.rowTransaction(async (writer) => {
    const rows = await lockDue(writer, settledUntil, limit);
    const book = new Book(writer, nowMs);
    let missed = 0;
    for (const row of rows) {
      const evaluation = evaluationOf(planOfRow(row), gaps);
      const clock = settle(clockOfRow(row), evaluation, settledUntil);
      book.move({ ...row, ...clockColumns(clock) });
      book.record(row, clock.lastBeatAt, evaluation);
      if (evaluation.verdicts.length > 0) missed += 1;
    }
    await book.write();
    return { clocks: rows.length, missed };
  });
}
