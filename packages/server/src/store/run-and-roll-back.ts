import type { Database, DatabaseWriter } from './ports.ts';

/** Carries the outcome out of a transaction that must not commit. */
class RollbackWithResult<T> extends Error {
  readonly outcome: T;

  constructor(outcome: T) {
    super('rolled back');
    this.outcome = outcome;
  }
}

/** Does something in a transaction and takes all of it back; resolves to what it found out. */
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
