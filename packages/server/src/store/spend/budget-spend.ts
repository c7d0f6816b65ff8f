import { sql } from 'kysely';
import { replaceUnstorableRowText } from '../../core/unstorable-characters.ts';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import { addStoredSums, buildStoredSumSql } from '../stored-sums.ts';
import type { BudgetCharge } from './budget-charge.ts';
import {
  type BudgetCounterGroup,
  formatBudgetCounterPrefix,
  listPeriodCharges,
  type PeriodCharge,
} from './budget-period-counters.ts';

/** A budget counter's spending before and after a batch of charges. */
export interface BucketSpendChange extends PeriodCharge {
  readonly beforeNanoUsd: number;
  readonly afterNanoUsd: number;
  /** Time after which the counter is not needed. 0 if it never expires. */
  readonly expiresAt: number;
}

/** A batch of spend journal lines that are all on disk. */
export interface SpendJournalBatch {
  readonly journal: string;
  /** Number of the last line in the batch. */
  readonly upTo: number;
  readonly charges: readonly BudgetCharge[];
}

/** Maximum number of sums in one statement. */
const SUMS_PER_STATEMENT = 200;

/** Adds a journal batch to the budget sums of all periods. Idempotent. Returns the sums that changed. */
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
  const sums = sumByCounter(charges.map(replaceUnstorableRowText).flatMap(listPeriodCharges));
  for (let at = 0; at < sums.length; at += SUMS_PER_STATEMENT)
    spent.push(...(await addSpend(writer, sums.slice(at, at + SUMS_PER_STATEMENT), nowMs)));
  await writer
    .insertInto('spend_journals')
    .values({ id: journal, applied: upTo, updated_at: nowMs })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ applied: upTo, updated_at: nowMs }))
    .execute();
  return spent;
}

/** One charge per counter. If the period changed between two charges, the one of the current period is kept. */
function sumByCounter(charges: readonly PeriodCharge[]): PeriodCharge[] {
  const sums = new Map<string, PeriodCharge>();
  for (const charge of charges) {
    const name = `${charge.orgId}\n${charge.bucket}`;
    const sum = sums.get(name);
    const kept = sum && !charge.isCurrentPeriod ? sum : charge;
    sums.set(name, { ...kept, nanoUsd: addStoredSums(charge.nanoUsd, sum?.nanoUsd ?? 0) });
  }
  return [...sums.values()];
}

async function addSpend(
  writer: DatabaseWriter,
  charges: readonly PeriodCharge[],
  nowMs: number,
): Promise<BucketSpendChange[]> {
  const rows = await writer
    .insertInto('budget_spend')
    .values(
      charges.map(({ orgId, bucket, endsAt, nanoUsd }) => ({
        org_id: orgId,
        bucket,
        spent_nano_usd: nanoUsd,
        ends_at: endsAt,
        updated_at: nowMs,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'bucket']).doUpdateSet({
        spent_nano_usd: sql.raw(buildStoredSumSql('budget_spend', 'spent_nano_usd')),
        ends_at: sql`case when budget_spend.ends_at = 0 or excluded.ends_at = 0 then 0
          when budget_spend.ends_at > excluded.ends_at then budget_spend.ends_at else excluded.ends_at end`,
        updated_at: nowMs,
      }),
    )
    .returning(['org_id', 'bucket', 'spent_nano_usd', 'ends_at'])
    .execute();
  const stored = new Map(rows.map((row) => [`${row.org_id}\n${row.bucket}`, row]));
  return charges.map((charge) => {
    const row = stored.get(`${charge.orgId}\n${charge.bucket}`);
    if (!row) throw new Error(`the spending of the budget counter "${charge.bucket}" was not stored`);
    const after = row.spent_nano_usd;
    const beforeNanoUsd = after - charge.nanoUsd;
    return { ...charge, beforeNanoUsd, afterNanoUsd: after, expiresAt: row.ends_at };
  });
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
export function listBudgetSpendChangedSince(
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

/** Maximum number of groups in one statement. */
const GROUPS_PER_STATEMENT = 50;

/**
 * Returns the spending of groups of counters in the periods that include `nowMs`. Returns `total` counters
 * even if they have expired, because `total` budgets never reset.
 */
export async function listBudgetSpendOfGroups(
  reader: DatabaseReader,
  groups: readonly BudgetCounterGroup[],
  nowMs: number,
): Promise<BudgetSpendRow[]> {
  const found: BudgetSpendRow[] = [];
  for (let at = 0; at < groups.length; at += GROUPS_PER_STATEMENT) {
    const some = groups.slice(at, at + GROUPS_PER_STATEMENT);
    const rows = await reader
      .selectFrom('budget_spend')
      .select(['org_id', 'bucket', 'spent_nano_usd', 'ends_at'])
      .where(({ eb, and, or }) =>
        or(
          some.map((group) => {
            const { first, end } = computeNameRange(group);
            const named = [eb('org_id', '=', group.orgId), eb('bucket', '>=', first), eb('bucket', '<', end)];
            if (group.kind === 'total') return and(named);
            return and([...named, or([eb('ends_at', '=', 0), eb('ends_at', '>', nowMs)])]);
          }),
        ),
      )
      .execute();
    for (const row of rows) found.push(row);
  }
  return found;
}

/** Removes the expiry time from the counters of a budget whose period was changed to `total`. */
export async function clearTotalBudgetExpiry(
  writer: DatabaseWriter,
  group: BudgetCounterGroup,
): Promise<void> {
  const { first, end } = computeNameRange(group);
  await writer
    .updateTable('budget_spend')
    .set({ ends_at: 0 })
    .where('org_id', '=', group.orgId)
    .where('bucket', '>=', first)
    .where('bucket', '<', end)
    .where('ends_at', '>', 0)
    .execute();
}

/** The names of a group are from `first` to before `end`: the last character of the prefix is the next one. */
function computeNameRange(group: BudgetCounterGroup) {
  const first = formatBudgetCounterPrefix(group);
  return { first, end: `${first.slice(0, -1)};` };
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
