import { compileRuleField } from './compile-rule-field.ts';

/** The times at which a rule applies, in one time zone. */
export interface RuleSchedule {
  readonly days: readonly string[];
  /** Start of the time span on each day, such as `09:00`. */
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * Returns a function that returns whether a schedule includes a time, in milliseconds since the epoch. A time
 * span whose end is before its start ends on the next day. Without a schedule, all times are included.
 * @throws InvalidRelayRuleError if this installation of Node.js does not know the time zone
 */
export function compileRuleSchedule(pattern: RuleSchedule | undefined): (nowMs: number) => boolean {
  if (pattern === undefined) return () => true;
  const { from, to, timezone } = pattern;
  const days = new Set(pattern.days);
  const format = compileRuleField(
    ['schedule', 'timezone'],
    () =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone: timezone,
        weekday: 'short',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      }),
  );
  return (nowMs) => {
    const parts = new Map(format.formatToParts(nowMs).map(({ type, value }) => [type, value]));
    const today = (parts.get('weekday') ?? '').toLowerCase();
    const time = `${parts.get('hour')}:${parts.get('minute')}`;
    const yesterday = DAYS[(DAYS.indexOf(today) + 6) % 7] ?? '';
    if (from < to) return days.has(today) && time >= from && time < to;
    return (days.has(today) && time >= from) || (days.has(yesterday) && time < to);
  };
}
