/**
 * Number of rows per transaction. A transaction then takes a few milliseconds, so that other writes can run in
 * between.
 */
export const ROWS_PER_DELETION_BATCH = 2000;

/** Runs `batch` until it deletes fewer than `ROWS_PER_DELETION_BATCH` rows. Returns the number of deleted rows. */
export async function runDeletionBatches(batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await batch();
    total += removed;
    if (removed < ROWS_PER_DELETION_BATCH) return total;
  }
}

/**
 * Runs all steps in order, even if some reject, so that the data of one organization does not keep the data of others.
 * @throws the first error
 */
export async function runAllSteps(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps)
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}
