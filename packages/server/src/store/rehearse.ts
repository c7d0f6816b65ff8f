import type { Database, Writer } from './ports.ts';

/** Carries the outcome out of a transaction that must not commit. */
class TakenBack<T> extends Error {
  readonly outcome: T;

  constructor(outcome: T) {
    super('taken back');
    this.outcome = outcome;
  }
}

/** Does something in a transaction and takes all of it back; resolves to what it found out. */
export async function rehearse<T>(
  database: Pick<Database, 'transaction'>,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  let taken: TakenBack<T> | undefined;
  try {
    return await database.transaction(async (writer) => {
      taken = new TakenBack(await work(writer));
      throw taken;
    });
  } catch (error) {
    if (taken !== undefined && error === taken) return taken.outcome;
    throw error;
  }
}
