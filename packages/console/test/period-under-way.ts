const DAY_MS = 86_400_000;

/**
 * A period with a forecast that exceeds a budget of which nine tenths are used: at least 3 % of it have elapsed, and
 * at most 80 %. On some evenings, no period is like this. The forecast of the returned one can then be lower.
 */
export function periodUnderWay(now: Date): { readonly period: string; readonly isExceeded: boolean } {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const elapsedMs = now.getTime() - Date.UTC(year, month, day);
  const daysOfWeek = (now.getUTCDay() + 6) % 7;
  const daysOfMonth = (Date.UTC(year, month + 1) - Date.UTC(year, month)) / DAY_MS;
  const shares = [
    ['month', (day - 1 + elapsedMs / DAY_MS) / daysOfMonth],
    ['week', (daysOfWeek + elapsedMs / DAY_MS) / 7],
    ['day', elapsedMs / DAY_MS],
  ] as const;
  const [exceeded] = shares.find(([, share]) => share >= 0.03 && share <= 0.8) ?? [];
  const [late = 'month'] = shares.find(([, share]) => share > 0.8) ?? [];
  return { period: exceeded ?? late, isExceeded: exceeded !== undefined };
}
