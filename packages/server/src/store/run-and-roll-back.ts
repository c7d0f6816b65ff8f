import type { Database, DatabaseWriter } from './store-interfaces.ts';

/** Carries the result out of a transaction that is rolled back. */
class RollbackWithResult<T> extends Error {
  readonly outcome: T;

  constructor(outcome: T) {
    super('rolled back');
    this.outcome = outcome;
  }
}

/**
 * Runs `work` in a transaction and rolls the transaction back. Resolves with the result of `work`.
 */
export async function runAndRollBack<T>(
  database: Pick<Database, 'transaction'>,
  work: (writer: DatabaseWriter) => Promise<T>,
): Promise<T> {
  let taken: RollbackWithResult<T> | undefined;
  try {
    return await database.transaction(async (writer) => {
      taken = new RollbackWithResult(await work(writer));
      throw taken;
    });
  } catch (error) {
    if (taken !== undefined && error === taken) return taken.outcome;
    throw error;
  }
}
