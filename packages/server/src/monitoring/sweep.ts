import { lockDue } from '../store/monitoring/clocks.ts';
import type { Database } from '../store/ports.ts';
import { Book } from './book.ts';
import { type Gap, noOutcome } from './clock.ts';
import { clockColumns, clockOfRow, planOfRow } from './clock-rows.ts';
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
 * Judges one batch of clocks that are due before `untilMs`, in one transaction: read under lock, judged, written with
 * checks, periods and alerts. Any number of processes may do so at once; each takes other clocks.
 *
 * @param untilMs no later than what every process has committed, or a beat on its way would be called missed.
 */
export function sweep(
  database: Pick<Database, 'rowTransaction'>,
  gaps: readonly Gap[],
  untilMs: number,
  nowMs: number,
  limit: number = CLOCKS_PER_SWEEP,
): Promise<Swept> {
  return database.rowTransaction(async (writer) => {
    const rows = await lockDue(writer, untilMs, limit);
    const book = new Book(writer, nowMs);
    let missed = 0;
    for (const row of rows) {
      const out = noOutcome();
      const clock = settle(clockOfRow(row), planOfRow(row), gaps, untilMs, out);
      book.move({ ...row, ...clockColumns(clock) });
      book.record(row, clock.lastBeatAt, out);
      if (out.verdicts.length > 0) missed += 1;
    }
    await book.write();
    return { clocks: rows.length, missed };
  });
}
