import { Fault } from '@floe/contract/faults';
import { Cron } from 'croner';
import { getLocalTimeSpan, type LocalTimeSpan } from './local-time-spans.ts';

/**
 * When beats are expected: at a fixed interval, or at the times of a cron expression in a time
 * zone.
 */
export type MonitorSchedule =
  | { readonly kind: 'interval'; readonly intervalMs: number }
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string };

/** Computes the times at which a schedule expects beats. All times are in Unix milliseconds. */
export interface ScheduleOccurrences {
  /** Returns the first expected time after `atMs`; null if there is none. */
  after(atMs: number): number | null;
  /**
   * Returns the next expected time after a beat; null if there is none. A beat shortly before a cron time
   * counts for that time, because clocks differ.
   */
  afterBeat(atMs: number): number | null;
  /**
   * Returns the first time after `laterThanMs` in the sequence that starts at `fromMs`; null if there is
   * none.
   */
  firstAfter(fromMs: number, laterThanMs: number): number | null;
  /**
   * Returns the last time that is not later than `untilMs` in the sequence that starts at `fromMs`. Returns
   * the first time of the sequence if all are later.
   */
  lastUntil(fromMs: number, untilMs: number): number | null;
  /** Returns the milliseconds between the expected time `atMs` and the expected time before it. */
  intervalBefore(atMs: number): number;
}

/**
 * How many milliseconds early a beat may arrive and still count for its expected time. Jobs may run on
 * machines whose clock is ahead.
 */
export const EARLY_BEAT_TOLERANCE_MS = 5_000;

/**
 * Creates an object that computes a schedule's expected times.
 * @throws Fault `invalid_request` for an invalid cron expression
 */
export function createScheduleOccurrences(schedule: MonitorSchedule): ScheduleOccurrences {
  return schedule.kind === 'interval' ? intervalSchedule(schedule.intervalMs) : cronSchedule(schedule);
}

function intervalSchedule(intervalMs: number): ScheduleOccurrences {
  return {
    after: (atMs) => atMs + intervalMs,
    afterBeat: (atMs) => atMs + intervalMs,
    firstAfter: (fromMs, laterThanMs) =>
      fromMs + Math.max(1, Math.floor((laterThanMs - fromMs) / intervalMs) + 1) * intervalMs,
    lastUntil: (fromMs, untilMs) =>
      fromMs + Math.max(1, Math.floor((untilMs - fromMs) / intervalMs)) * intervalMs,
    intervalBefore: () => intervalMs,
  };
}

/** Caches parsed cron expressions, because parsing is slow and monitors share few expressions. */
const parsedCrons = new Map<string, Cron>();
const MAX_PARSED_CRONS = 10_000;

/**
 * Creates the occurrences of a cron expression, which follow the wall clock of the time zone. If daylight saving time
 * skips times, the job is expected once, immediately after the jump. If a time occurs twice, the job is expected at the
 * first one. If the minute or the hour starts with `*`, the job is expected whenever clocks show one of its times.
 * Vixie cron follows the same rules.
 */
function cronSchedule({
  cron,
  timezone,
}: {
  readonly cron: string;
  readonly timezone: string;
}): ScheduleOccurrences {
  const times = parseCron(cron);
  const isWildcard = hasWildcardTime(cron);
  /** The local time before which an expected time does not belong to the span. */
  const firstLocalMs = ({ startsAt, offsetMs, reachedMs }: LocalTimeSpan) =>
    isWildcard ? startsAt + offsetMs : reachedMs;
  const toExpectedAt = (localMs: number, { startsAt, offsetMs }: LocalTimeSpan) =>
    Math.max(startsAt, localMs - offsetMs);

  function after(atMs: number): number | null {
    let span = getLocalTimeSpan(timezone, atMs);
    let afterMs = Math.max(atMs + span.offsetMs, firstLocalMs(span) - 1);
    for (;;) {
      const next = times.nextRun(new Date(afterMs))?.getTime();
      if (next === undefined) return null;
      if (next < span.endsAt + span.offsetMs) return toExpectedAt(next, span);
      const isNear = span.endsAt < atMs + MAX_CHANGE_MS;
      const skipped = isNear ? span.endsAt : next - span.offsetMs - MAX_CHANGE_MS;
      span = getLocalTimeSpan(timezone, Math.max(span.endsAt, skipped));
      afterMs = firstLocalMs(span) - 1;
    }
  }
  function before(atMs: number): number | null {
    let span = getLocalTimeSpan(timezone, atMs - 1);
    let beforeMs = atMs + span.offsetMs;
    for (;;) {
      const previous = times.previousRuns(1, new Date(beforeMs))[0]?.getTime();
      if (previous === undefined) return null;
      if (previous >= firstLocalMs(span)) return toExpectedAt(previous, span);
      const isNear = span.startsAt > atMs - MAX_CHANGE_MS;
      const skipped = isNear ? span.startsAt : previous - span.offsetMs + MAX_CHANGE_MS;
      span = getLocalTimeSpan(timezone, Math.min(span.startsAt, skipped) - 1);
      beforeMs = span.endsAt + span.offsetMs;
    }
  }
  return {
    after,
    afterBeat: (atMs) => after(atMs + EARLY_BEAT_TOLERANCE_MS),
    firstAfter: (fromMs, laterThanMs) => after(Math.max(fromMs, laterThanMs)),
    lastUntil: (fromMs, untilMs) => {
      const first = after(fromMs);
      return first === null || first >= untilMs ? first : after(untilMs);
    },
    intervalBefore: (atMs) => atMs - (before(atMs) ?? Number.NEGATIVE_INFINITY),
  };
}

/**
 * Maximum time by which clocks are set forward or back. Only spans that are closer than this to the start of a search
 * can repeat times before it, and no other spans without a match need to be searched.
 */
const MAX_CHANGE_MS = 86_400_000;

/** Returns whether the minute or the hour of a cron expression is `*`, possibly with a step. */
function hasWildcardTime(cron: string): boolean {
  const fields = cron.trim().toLowerCase().split(/\s+/);
  const [minute = '', hour = ''] = fields.slice(-5);
  return minute === '@hourly' || /^[*?]/.test(minute) || /^[*?]/.test(hour);
}

/**
 * Returns whether a time must match both the day of the month and the day of the week. As in Vixie cron, this is the
 * case if one of them starts with `*`. Otherwise, it is sufficient that one of them matches.
 */
function requiresBothDays(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  return [fields.at(-3), fields.at(-1)].some((days) => days !== undefined && /^[*?]/.test(days));
}

/**
 * Parses a cron expression of five or six fields. The times of the result are local times, encoded as if they were
 * UTC.
 *
 * @throws Fault `invalid_request` with the reason
 */
export function parseCron(cron: string): Cron {
  const times = readCron(cron);
  if (typeof times === 'string') throw createCronFault(cron, times);
  return times;
}

/** Returns the parsed expression, or the reason why it is invalid. */
function readCron(cron: string): Cron | string {
  const known = parsedCrons.get(cron);
  if (known) return known;
  let times: Cron;
  try {
    times = new Cron(cron, {
      utcOffset: 0,
      paused: true,
      mode: '5-or-6-parts',
      domAndDow: requiresBothDays(cron),
    });
  } catch (cause) {
    return `is not a valid cron expression: ${describeCronError(cause)}`;
  }
  if (parsedCrons.size >= MAX_PARSED_CRONS) parsedCrons.clear();
  parsedCrons.set(cron, times);
  return times;
}

function createCronFault(cron: string, reason: string): Fault {
  return new Fault('invalid_request', `schedule.cron: "${cron}" ${reason}`, { param: 'schedule.cron' });
}

/**
 * Describes an error of the cron library. Removes the class name from messages such as `CronPattern: Invalid value for
 * hour: 25`. The library counts days and months from 0 in its messages.
 */
function describeCronError(cause: unknown): string {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/^Cron\w*: /, '');
  const [, field, value] = /^Invalid value for (day|nearestWeekdays|month): (-?\d+)$/.exec(reason) ?? [];
  return value === undefined
    ? reason
    : `Invalid value for ${field === 'nearestWeekdays' ? 'day' : field}: ${Number(value) + 1}`;
}

/** Shortest time between two times of a cron expression, as for `expected_interval_minutes`. */
const MIN_INTERVAL_MS = 30_000;
/** Number of times that are checked. The seconds of an expression repeat in every minute that it matches. */
const CHECKED_OCCURRENCES = 100;

/**
 * Returns why a cron expression is not a usable schedule of a monitor or a maintenance window: it is invalid, it never
 * occurs, such as February 30, or its times have shorter intervals than any monitor may have. Null if it is usable.
 * The reason does not contain the expression.
 */
export function findCronError(cron: string): string | null {
  const parsed = readCron(cron);
  if (typeof parsed === 'string') return parsed;
  if (parsed.nextRun() === null) return 'never matches: no date has this day and month. Example: 0 3 * * *';
  // Without a field for seconds, times are at least a minute apart.
  if (cron.trim().split(/\s+/).length < 6) return null;
  const times = parsed.nextRuns(CHECKED_OCCURRENCES);
  const isTooShort = times.some((time, at) => {
    const before = times[at - 1];
    return before !== undefined && time.getTime() - before.getTime() < MIN_INTERVAL_MS;
  });
  return isTooShort
    ? `matches times less than ${MIN_INTERVAL_MS / 1_000} seconds apart. Use a longer interval. Example: */5 * * * *`
    : null;
}

/** Requires that a cron expression is usable. @throws Fault `invalid_request` with the reason of `findCronError` */
export function requireUsableCron(cron: string): void {
  const reason = findCronError(cron);
  if (reason !== null) throw createCronFault(cron, reason);
}
