import type { BudgetPeriod } from './budget-period.ts';

type PeriodSpan = Pick<BudgetPeriod, 'startsAt' | 'endsAt'>;

/** Share of a period that must have passed before a forecast is possible. */
const FORECAST_FROM_SHARE = 0.02;

/**
 * Forecasts the total spending of a period at the current rate, in nano-USD. Returns null for a
 * budget that never resets, or if the period has only just begun.
 */
export function forecastSpend(
  spentNanoUsd: number,
  { startsAt, endsAt }: PeriodSpan,
  nowMs: number,
): number | null {
  if (endsAt === 0) return null;
  const share = (nowMs - startsAt) / (endsAt - startsAt);
  return share < FORECAST_FROM_SHARE ? null : Math.round(spentNanoUsd / Math.min(1, share));
}

/**
 * Forecasts when a budget is used up, at the rate that `forecast` assumes. Returns null if the
 * budget will not be used up in this period.
 */
export function forecastBudgetExhaustion(
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
