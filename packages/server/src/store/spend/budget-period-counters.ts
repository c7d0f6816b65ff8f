import type { BudgetCharge } from './budget-charge.ts';

/** The length of a budget period. A `total` budget never resets. */
export type BudgetPeriodKind = 'day' | 'week' | 'month' | 'total';

const PERIOD_KINDS: readonly BudgetPeriodKind[] = ['day', 'week', 'month', 'total'];
/** Days start up to this long after they start in UTC. */
const MAX_ZONE_DELAY_MS = 12 * 3_600_000;

/** A charge to one of the counters of a budget for one subject. There is one counter for each period kind. */
export interface PeriodCharge extends BudgetCharge {
  /** Whether the budget had this period kind when the exchange was admitted. */
  readonly isCurrentPeriod: boolean;
}

/** Returns the name of the counter of a budget for one subject and period. */
export function formatBudgetCounterName(
  budgetId: string,
  kind: BudgetPeriodKind,
  day: string,
  subject: string,
): string {
  return `b:${budgetId}${formatPeriodPart(kind, day)}${subject}`;
}

/** The counters of a budget for all subjects and periods of one kind. */
export interface BudgetCounterGroup {
  readonly orgId: string;
  readonly budgetId: string;
  readonly kind: BudgetPeriodKind;
}

/** Returns the start of the names of the counters in a group. */
export function formatBudgetCounterPrefix({ budgetId, kind }: Omit<BudgetCounterGroup, 'orgId'>): string {
  return `b:${budgetId}:${kind}:`;
}

const PREFIX_END = /:(?:day|week|month|total):(?=(?:\d{4}-\d\d-\d\d|ever):)/g;

/**
 * Returns the prefixes that a counter's name may have (`formatBudgetCounterPrefix`). There is more than one if
 * the budget id or the subject contains the text of a prefix.
 */
export function listBudgetCounterPrefixes(bucket: string): string[] {
  return [...bucket.matchAll(PREFIX_END)].map(({ index, 0: end }) => bucket.slice(0, index + end.length));
}

/**
 * Returns a charge for the counter of each period kind, not only for the budget's own kind, which comes first. If
 * the period of a budget changes later, its spending in the new period has therefore already been counted.
 * Counters that no budget uses expire. The `total` counter expires if the subject has no spending until the
 * end of the next month.
 */
export function listPeriodCharges(charge: BudgetCharge): PeriodCharge[] {
  const own = { ...charge, isCurrentPeriod: true };
  const kind = PERIOD_KINDS.find((known) => known === charge.period);
  if (kind === undefined || !charge.day) return [own];
  const part = formatPeriodPart(kind, charge.day);
  const at = charge.bucket.indexOf(part);
  if (at === -1) return [own];
  const others = PERIOD_KINDS.filter((other) => other !== kind).map((other) => ({
    ...charge,
    bucket: `${charge.bucket.slice(0, at)}${formatPeriodPart(other, charge.day)}${charge.bucket.slice(at + part.length)}`,
    endsAt: lastPossibleEnd(other, charge.day),
    isCurrentPeriod: false,
  }));
  return [own, ...others];
}

function formatPeriodPart(kind: BudgetPeriodKind, day: string): string {
  const name = kind === 'total' ? 'ever' : new Date(firstDay(kind, day)).toISOString().slice(0, 10);
  return `:${kind}:${name}:`;
}

/** The first day of the period that contains a day, as UTC midnight. Weeks start on Monday (ISO 8601). */
function firstDay(kind: BudgetPeriodKind, day: string): number {
  const date = new Date(`${day}T00:00:00Z`);
  if (kind === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (kind === 'month' || kind === 'total') date.setUTCDate(1);
  return date.getTime();
}

/** The end of the period in the westernmost time zone. */
function lastPossibleEnd(kind: BudgetPeriodKind, day: string): number {
  const end = new Date(firstDay(kind, day));
  if (kind === 'day') end.setUTCDate(end.getUTCDate() + 1);
  if (kind === 'week') end.setUTCDate(end.getUTCDate() + 7);
  if (kind === 'month') end.setUTCMonth(end.getUTCMonth() + 1);
  if (kind === 'total') end.setUTCMonth(end.getUTCMonth() + 2);
  return end.getTime() + MAX_ZONE_DELAY_MS;
}
