import { Fault } from '@floe/contract/faults';
import { Cron } from 'croner';
import { getRepeatedLocalTimePredicate } from './repeated-local-times.ts';

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
 * Creates the occurrences of a cron expression, which follow the wall clock of the time zone. If daylight
 * saving time skips a time, the job is expected immediately after the jump. If a time occurs twice, the job
 * is expected once, unless `*` is the minute or the hour. Vixie cron follows the same rules.
 */
function cronSchedule({
  cron,
  timezone,
}: {
  readonly cron: string;
  readonly timezone: string;
}): ScheduleOccurrences {
  const times = parseCron(cron, timezone);
  // Croner repeats the times of an expression with several hours or minutes.
  const isRepeated = hasWildcardTime(cron) ? () => false : getRepeatedLocalTimePredicate(timezone);
  function after(atMs: number): number | null {
    let next = times.nextRun(new Date(atMs));
    while (next && isRepeated(next.getTime())) {
      let endMs = startOfMinute(next) + MINUTE_MS;
      while (isRepeated(endMs)) endMs += MINUTE_MS;
      next = times.nextRun(new Date(endMs - 1));
    }
    return next?.getTime() ?? null;
  }
  function before(atMs: number): number | null {
    let [previous] = times.previousRuns(1, new Date(atMs));
    while (previous && isRepeated(previous.getTime())) {
      let startMs = startOfMinute(previous);
      while (isRepeated(startMs - MINUTE_MS)) startMs -= MINUTE_MS;
      [previous] = times.previousRuns(1, new Date(startMs));
    }
    return previous?.getTime() ?? null;
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

const MINUTE_MS = 60_000;

/** Clocks are set back by whole minutes, so a time occurs twice if its minute does. */
const startOfMinute = (time: Date) => Math.floor(time.getTime() / MINUTE_MS) * MINUTE_MS;

/** Returns whether the minute or the hour of a cron expression is `*`, possibly with a step. */
function hasWildcardTime(cron: string): boolean {
  const fields = cron.trim().toLowerCase().split(/\s+/);
  const [minute = '', hour = ''] = fields.slice(-5);
  return minute === '@hourly' || /^[*?]/.test(minute) || /^[*?]/.test(hour);
}

/**
 * Parses a cron expression of five or six fields.
 *
 * @throws Fault `invalid_request` with the reason
 */
export function parseCron(cron: string, timezone: string): Cron {
  const name = `${timezone}\n${cron}`;
  const known = parsedCrons.get(name);
  if (known) return known;
  let times: Cron;
  try {
    times = new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' });
  } catch (cause) {
    // Removes the class name from messages such as `CronPattern: Invalid value for hour: 25`.
    const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/^Cron\w*: /, '');
    throw new Fault('invalid_request', `schedule.cron: "${cron}" is not a valid cron expression: ${reason}`, {
      param: 'schedule.cron',
      cause,
    });
  }
  if (parsedCrons.size >= MAX_PARSED_CRONS) parsedCrons.clear();
  parsedCrons.set(name, times);
  return times;
}

/** Shortest time between two times of a cron expression, as for `expected_interval_minutes`. */
const MIN_INTERVAL_MS = 30_000;
/** Number of times that are checked. The seconds of an expression repeat in every minute that it matches. */
const CHECKED_OCCURRENCES = 100;

/**
 * Requires that a cron expression is a usable schedule of a monitor or a maintenance window.
 *
 * @throws Fault `invalid_request` for an invalid expression, one that never occurs, such as February 30, or
 * one with times at shorter intervals than any monitor may have
 */
export function requireUsableCron(cron: string, timezone: string): void {
  const parsed = parseCron(cron, timezone);
  if (parsed.nextRun() === null)
    throw new Fault(
      'invalid_request',
      `schedule.cron: "${cron}" never matches: no date has this day and month. Example: 0 3 * * *`,
      { param: 'schedule.cron' },
    );
  // Without a field for seconds, times are at least a minute apart.
  if (cron.trim().split(/\s+/).length < 6) return;
  const times = parsed.nextRuns(CHECKED_OCCURRENCES);
  const isTooShort = times.some((time, at) => {
    const before = times[at - 1];
    return before !== undefined && time.getTime() - before.getTime() < MIN_INTERVAL_MS;
  });
  if (isTooShort)
    throw new Fault(
      'invalid_request',
      `schedule.cron: "${cron}" matches times less than ${MIN_INTERVAL_MS / 1_000} seconds apart. Use a longer interval. Example: */5 * * * *`,
      { param: 'schedule.cron' },
    );
}
