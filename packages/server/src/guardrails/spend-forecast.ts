import type { BudgetPeriod } from './budget-period.ts';

type PeriodSpan = Pick<BudgetPeriod, 'startsAt' | 'endsAt'>;

/** Share of a period that must have passed before a forecast is possible. */
const FORECAST_FROM_SHARE = 0.02;

/**
 * Forecasts the spending of the whole period at the current rate. Returns null for a budget without an end,
 * or too early in the period.
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
 * Forecasts when the budget is used up at the rate of `forecast`. Returns null if it will not be used up in
 * this period.
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
