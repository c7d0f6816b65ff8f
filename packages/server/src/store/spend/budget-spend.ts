import { replaceUnstorableRowText } from '../../core/unstorable-characters.ts';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';

/** A budget amount that an exchange has reserved or spent. */
export interface BudgetCharge {
  readonly orgId: string;
  readonly bucket: string;
  /** Milliseconds since the epoch. 0 for a budget without an end. */
  readonly endsAt: number;
  readonly nanoUsd: number;
  /** Limit of the budget, to detect when a share of it is used. */
  readonly limitNanoUsd: number;
  /** Name, period and mode of the budget, for alerts. */
  readonly name: string;
  readonly period: string;
  readonly mode: 'hard' | 'soft';
}

/** A budget counter's spending after a batch of charges. */
export interface BucketSpendChange extends BudgetCharge {
  readonly beforeNanoUsd: number;
  readonly afterNanoUsd: number;
}

/** A batch of spend journal lines that are all on disk. */
export interface SpendJournalBatch {
  readonly journal: string;
  /** Number of the last line in the batch. */
  readonly upTo: number;
  readonly charges: readonly BudgetCharge[];
}

/** Adds a journal batch to the budget sums. Idempotent. Returns the sums that changed. */
export async function applySpendJournalBatch(
  writer: DatabaseWriter,
  { journal, upTo, charges }: SpendJournalBatch,
  nowMs: number,
): Promise<BucketSpendChange[]> {
  const known = await writer
    .selectFrom('spend_journals')
    .select('applied')
    .where('id', '=', journal)
    .executeTakeFirst();
  if (known && known.applied >= upTo) return [];
  const spent: BucketSpendChange[] = [];
  for (const charge of charges) spent.push(await addSpend(writer, replaceUnstorableRowText(charge), nowMs));
  await writer
    .insertInto('spend_journals')
    .values({ id: journal, applied: upTo, updated_at: nowMs })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ applied: upTo, updated_at: nowMs }))
    .execute();
  return spent;
}

async function addSpend(
  writer: DatabaseWriter,
  charge: BudgetCharge,
  nowMs: number,
): Promise<BucketSpendChange> {
  const { orgId, bucket, endsAt, nanoUsd } = charge;
  const { spent_nano_usd: after } = await writer
    .insertInto('budget_spend')
    .values({ org_id: orgId, bucket, spent_nano_usd: nanoUsd, ends_at: endsAt, updated_at: nowMs })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'bucket']).doUpdateSet(({ eb }) => ({
        spent_nano_usd: eb('budget_spend.spent_nano_usd', '+', nanoUsd),
        updated_at: nowMs,
      })),
    )
    .returning('spent_nano_usd')
    .executeTakeFirstOrThrow();
  return { ...charge, beforeNanoUsd: after - nanoUsd, afterNanoUsd: after };
}

/** The stored spending for one budget, subject and period. */
export interface BudgetSpendRow {
  readonly org_id: string;
  readonly bucket: string;
  readonly spent_nano_usd: number;
  readonly ends_at: number;
}

/**
 * Returns the spending of all organizations' budgets in the periods that include `nowMs`, if it has changed
 * since `sinceMs`.
 */
export function listBudgetSpendSince(
  reader: DatabaseReader,
  sinceMs: number,
  nowMs: number,
): Promise<BudgetSpendRow[]> {
  return reader
    .selectFrom('budget_spend')
    .select(['org_id', 'bucket', 'spent_nano_usd', 'ends_at'])
    .where('updated_at', '>=', sinceMs)
    .where(({ eb, or }) => or([eb('ends_at', '=', 0), eb('ends_at', '>', nowMs)]))
    .execute();
}

/** Returns the number of a journal's last applied line. -1 for an unknown journal. */
export async function getAppliedJournalLineNumber(reader: DatabaseReader, journal: string): Promise<number> {
  const row = await reader
    .selectFrom('spend_journals')
    .select('applied')
    .where('id', '=', journal)
    .executeTakeFirst();
  return row?.applied ?? -1;
}
