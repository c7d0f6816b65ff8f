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

/** Maximum number of errors in the message of an error of `runAllSteps`. */
const MAX_REPORTED_ERRORS = 10;

/** Thrown by a step to end a round between two of its transactions. No further step runs. */
export class RetentionStopped extends Error {}

/**
 * Runs all steps in order, even if some reject, so that the data of one organization does not keep the data of others.
 * @throws RetentionStopped, the only error, or an AggregateError of all errors
 */
export async function runAllSteps(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps)
    try {
      await step();
    } catch (error) {
      if (error instanceof RetentionStopped) throw error;
      errors.push(error);
    }
  if (errors.length > 1) {
    const messages = errors.slice(0, MAX_REPORTED_ERRORS).map(String);
    throw new AggregateError(
      errors,
      `${errors.length} steps failed. The first errors: ${messages.join('; ')}`,
    );
  }
  if (errors.length > 0) throw errors[0];
}
