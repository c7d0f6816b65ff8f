import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { isPostgresRowError } from '../postgres/postgres-errors.ts';
import { runAndRollBack } from '../run-and-roll-back.ts';
import { getSqliteResultCode, isSqliteRowError } from '../sqlite/sqlite-errors.ts';
import type { Database, DatabaseWriter } from '../store-interfaces.ts';
import type { BudgetCharge } from './budget-charge.ts';
import { applySpendJournalBatch, type BucketSpendChange, type SpendJournalBatch } from './budget-spend.ts';

export interface JournalBatchOptions {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs in the transaction that applies the spending. */
  readonly onSpent: (writer: DatabaseWriter, spent: readonly BucketSpendChange[]) => Promise<void>;
}

/**
 * Applies a batch of a spend journal in one transaction. If the database rejects the data of a charge, applies the other
 * charges without it, so that it does not delay the spending of other organizations.
 */
export async function applyJournalBatch(
  options: JournalBatchOptions,
  batch: SpendJournalBatch,
): Promise<readonly BucketSpendChange[]> {
  const { database, log } = options;
  try {
    return await database.transaction((writer) => apply(writer, options, batch));
  } catch (error) {
    if (!isDataError(error)) throw error;
    const rejected = new Set(await findRejectedCharges(options, batch));
    if (rejected.size === 0) throw error;
    const charges = batch.charges.filter((charge) => !rejected.has(charge));
    const spent = await database.transaction((writer) => apply(writer, options, { ...batch, charges }));
    // The journal is deleted when it is applied, so these lines are the only record of the spending.
    for (const { orgId, name, bucket, nanoUsd } of rejected)
      log.error(
        { err: error, orgId, budget: name, bucket, nanoUsd },
        'database rejected spending of a budget; after a restart, the budget does not include this spending',
      );
    return spent;
  }
}

async function apply(
  writer: DatabaseWriter,
  { clock, onSpent }: JournalBatchOptions,
  batch: SpendJournalBatch,
): Promise<readonly BucketSpendChange[]> {
  const spent = await applySpendJournalBatch(writer, batch, clock.now());
  await onSpent(writer, spent);
  return spent;
}

/** Returns the charges that the database rejects. Returns none if the charges are not the cause of the failure. */
async function findRejectedCharges(
  options: JournalBatchOptions,
  batch: SpendJournalBatch,
): Promise<readonly BudgetCharge[]> {
  const isAccepted = async (charges: readonly BudgetCharge[]) => {
    try {
      await runAndRollBack(options.database, (writer) => apply(writer, options, { ...batch, charges }));
      return true;
    } catch (error) {
      if (!isDataError(error)) throw error;
      return false;
    }
  };
  const search = async (charges: readonly BudgetCharge[]): Promise<readonly BudgetCharge[]> => {
    if (await isAccepted(charges)) return [];
    if (charges.length <= 1) return charges;
    const middle = Math.ceil(charges.length / 2);
    return [...(await search(charges.slice(0, middle))), ...(await search(charges.slice(middle)))];
  };
  return (await isAccepted([])) ? search(batch.charges) : [];
}

/** Returns whether the data of a statement caused its error. All other errors keep the batch for the next attempt. */
function isDataError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  return isPostgresRowError(cause) || (getSqliteResultCode(cause) !== null && isSqliteRowError(cause));
}
