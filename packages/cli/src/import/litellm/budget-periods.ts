import type { ImportSourceObject } from '../import-source-object.ts';

const SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
  mo: 2_592_000,
};
const DAY = 86_400;

/** The budget period of Floe that corresponds to a duration in LiteLLM. */
export interface ConvertedBudgetPeriod {
  readonly period: 'day' | 'week' | 'month' | 'total';
  /** How the period differs from the duration. Empty if it does not. */
  readonly note: string;
}

/**
 * Returns the shortest budget period that is at least as long as a duration in LiteLLM, so that the budget does
 * not allow more spending than before. Without a duration, the period is `total`. Returns null if the duration
 * cannot be parsed.
 */
export function toBudgetPeriod(duration: string | undefined): ConvertedBudgetPeriod | null {
  if (duration === undefined) return { period: 'total', note: '' };
  const named: Readonly<Record<string, ConvertedBudgetPeriod['period']>> = {
    daily: 'day',
    weekly: 'week',
    monthly: 'month',
  };
  const byName = Object.hasOwn(named, duration) ? named[duration] : undefined;
  if (byName !== undefined) return { period: byName, note: '' };
  const [, count = '', unit = ''] = /^(\d{1,9})(s|m|h|d|w|mo|M)$/.exec(duration) ?? [];
  const length = Number(count) * (SECONDS[unit === 'M' ? 'mo' : unit] ?? Number.NaN);
  if (count === '' || !(length > 0)) return null;
  const period = length <= DAY ? 'day' : length <= 7 * DAY ? 'week' : length <= 31 * DAY ? 'month' : 'total';
  const isExact = length === DAY || length === 7 * DAY;
  const note =
    period === 'month' && length >= 28 * DAY
      ? 'became a calendar month'
      : `became period: ${period}, which is longer; the amount is unchanged`;
  return { period, note: isExact ? `became a calendar ${period}` : note };
}

/**
 * Reads the period of a budget from the field `duration`. If Floe does not support the duration, returns null and
 * reports that this field and the fields `amounts` are not imported.
 */
export function readBudgetPeriod(
  source: ImportSourceObject,
  duration: string,
  amounts: readonly string[],
): ConvertedBudgetPeriod['period'] | null {
  const period = toBudgetPeriod(source.text(duration));
  if (period) {
    if (period.note !== '' && source.has(duration)) source.note(duration, 'changed', period.note);
    return period.period;
  }
  for (const field of [duration, ...amounts])
    if (source.has(field))
      source.note(
        field,
        'not_imported',
        `the budget is not imported because Floe does not support the duration in ${duration}`,
      );
  return null;
}

/**
 * Reads the amount of a hard budget in USD. An amount of 0 becomes the smallest amount, which still rejects requests.
 */
export function readHardBudgetAmount(source: ImportSourceObject, field: string): number | undefined {
  const amount = source.number(field);
  if (amount !== 0) return amount;
  source.note(field, 'changed', 'became 0.000001 USD, because a Floe budget must be greater than 0');
  return 0.000001;
}
