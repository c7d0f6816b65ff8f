import type { Alert } from '../alerts/alert.ts';
import { formatBudgetCounterName } from '../store/spend/budget-period-counters.ts';
import type { BucketSpendChange } from '../store/spend/budget-spend.ts';
import { parseBudgetIdFromCounterName } from './budget-buckets.ts';
import type { LoadedBudgets } from './spend-cache.ts';

/** Shares of a budget at which an alert is sent. */
const ALERT_SHARES = [0.5, 0.8, 1];

/**
 * Creates an alert for each budget threshold that a batch of charges crossed. The budget totals are
 * read and written in one transaction, so exactly one process detects each crossing. The alert's
 * key ensures at most one alert per threshold and period.
 */
export function createBudgetThresholdAlerts(spent: readonly BucketSpendChange[], nowMs: number): Alert[] {
  const current = spent.filter(({ isCurrentPeriod }) => isCurrentPeriod);
  return current.flatMap((bucket) =>
    ALERT_SHARES.filter((share) => crossedShare(bucket, share)).map((share) =>
      buildAlert(bucket, share, nowMs),
    ),
  );
}

function crossedShare(
  { beforeNanoUsd, afterNanoUsd, limitNanoUsd }: BucketSpendChange,
  share: number,
): boolean {
  const at = limitNanoUsd * share;
  return beforeNanoUsd < at && afterNanoUsd >= at;
}

/**
 * Creates an alert for each counter of a budget whose period has changed, if the spending in the new period has
 * already passed a threshold. The alert is for the highest threshold that was passed, because no later charge
 * would cross it.
 */
export function createBudgetPeriodChangeAlerts({ budgets, rows }: LoadedBudgets, nowMs: number): Alert[] {
  const changed = budgets.added.filter(({ hasNewPeriod }) => hasNewPeriod);
  return changed.flatMap(({ group, budget }) => {
    const current = formatBudgetCounterName(group.budgetId, group.kind, budget.dayAt(nowMs).name, '');
    return rows
      .filter(({ org_id, bucket }) => org_id === group.orgId && bucket.startsWith(current))
      .flatMap(({ bucket, spent_nano_usd }) => {
        const { limitNanoUsd } = budget;
        const share = ALERT_SHARES.findLast((one) => spent_nano_usd >= limitNanoUsd * one);
        if (share === undefined) return [];
        const { name, mode, period } = budget.config;
        const { endsAt } = budget.periodAt(nowMs);
        const spent = { orgId: group.orgId, bucket, name, mode, period, endsAt, limitNanoUsd };
        return [buildAlert({ ...spent, afterNanoUsd: spent_nano_usd }, share, nowMs)];
      });
  });
}

type AlertedSpending = Pick<
  BucketSpendChange,
  'orgId' | 'bucket' | 'name' | 'mode' | 'period' | 'endsAt' | 'afterNanoUsd' | 'limitNanoUsd'
>;

function buildAlert(spent: AlertedSpending, share: number, nowMs: number): Alert {
  const { orgId, bucket, name, mode, period, endsAt, afterNanoUsd, limitNanoUsd } = spent;
  return {
    orgId,
    event: 'budget',
    subject: { kind: 'budget', id: bucket, name },
    idempotencyKey: `${bucket}:${limitNanoUsd}:${share}`,
    at: nowMs,
    fields: {
      budgetId: parseBudgetIdFromCounterName(bucket, period),
      share,
      spentNanoUsd: afterNanoUsd,
      limitNanoUsd,
      period,
      mode,
      resetsAtMs: endsAt === 0 ? null : endsAt,
    },
    channels: null,
  };
}
