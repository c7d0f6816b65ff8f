import type { BudgetPeriod } from './budget-period.ts';

type PeriodSpan = Pick<BudgetPeriod, 'startsAt' | 'endsAt'>;

/** Part of a period that must have gone by before what was spent in it says anything about the rest. */
const FORECAST_FROM_SHARE = 0.02;

/** What the whole period will cost if it goes on as it did so far; null without an end, or too early in it. */
export function forecastSpend(
  spentNanoUsd: number,
  { startsAt, endsAt }: PeriodSpan,
  nowMs: number,
): number | null {
  if (endsAt === 0) return null;
  const share = (nowMs - startsAt) / (endsAt - startsAt);
  return share < FORECAST_FROM_SHARE ? null : Math.round(spentNanoUsd / Math.min(1, share));
}

/** When nothing is left at the pace of `forecast`; null when something will be. */
export function forecastExhaustion(
  {
    spent,
    forecast,
    limit,
  }: { readonly spent: number; readonly forecast: number | null; readonly limit: number },
  { startsAt, endsAt }: PeriodSpan,
  nowMs: number,
): string | null {
  if (forecast === null || forecast <= limit) return null;
  const at = spent >= limit ? nowMs : startsAt + (limit / forecast) * (endsAt - startsAt);
  return new Date(at).toISOString();
}
