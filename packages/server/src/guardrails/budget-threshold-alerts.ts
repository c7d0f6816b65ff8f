import type { Alert } from '../alerts/alert.ts';
import type { BucketSpendChange } from '../store/spend/budget-spend.ts';
import { parseBudgetIdFromBucketName } from './budget-buckets.ts';

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

function buildAlert(spent: BucketSpendChange, share: number, nowMs: number): Alert {
  const { orgId, bucket, name, mode, period, endsAt, afterNanoUsd, limitNanoUsd } = spent;
  return {
    orgId,
    event: 'budget',
    subject: { kind: 'budget', id: bucket, name },
    idempotencyKey: `${bucket}:${limitNanoUsd}:${share}`,
    at: nowMs,
    fields: {
      budgetId: parseBudgetIdFromBucketName(bucket, period),
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
