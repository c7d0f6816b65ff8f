import { Fault } from '@floe/contract/faults';
import { Cron } from 'croner';

/** When beats are promised: every so often, or at the times of a cron expression in a time zone. */
export type Schedule =
  | { readonly kind: 'interval'; readonly intervalMs: number }
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string };

/** A schedule that can be asked. All instants are milliseconds since the epoch. */
export interface Occurrences {
  /** The promise after one that was kept, or broken, at `atMs`; null when there is none ever again. */
  after(atMs: number): number | null;
  /** The promise after a beat: one so shortly before a cron time that only a clock is off kept that time. */
  afterBeat(atMs: number): number | null;
  /** The first promise later than `laterThanMs` of the sequence that goes on from `fromMs`. */
  firstAfter(fromMs: number, laterThanMs: number): number | null;
  /** The last promise of the sequence from `fromMs` that is not later than `leaseUntilMs`, else the first one. */
  lastUntil(fromMs: number, untilMs: number): number | null;
  /** Milliseconds from the promise before the one at `atMs` until that. */
  intervalBefore(atMs: number): number;
}

/** A job whose machine's clock is this much ahead of ours calls before its time. */
export const EARLY_BEAT_TOLERANCE_MS = 5_000;

export function createOccurrences(schedule: Schedule): Occurrences {
  return schedule.kind === 'interval' ? intervalSchedule(schedule.intervalMs) : cronSchedule(schedule);
}

function intervalSchedule(intervalMs: number): Occurrences {
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

/** Expressions are few and shared by many monitors; parsing one costs more than asking it. */
const parsedCrons = new Map<string, Cron>();
const MAX_PARSED_CRONS = 10_000;

/**
 * Times follow the zone's wall clock: at a jump forward a fixed time that does not exist comes right after the
 * jump, at a jump back one that exists twice comes once (croner's rules, those of Vixie cron).
 */
function cronSchedule({ cron, timezone }: { readonly cron: string; readonly timezone: string }): Occurrences {
  const times = parseCron(cron, timezone);
  const after = (atMs: number) => times.nextRun(new Date(atMs))?.getTime() ?? null;
  return {
    after,
    afterBeat: (atMs) => after(atMs + EARLY_BEAT_TOLERANCE_MS),
    firstAfter: (fromMs, laterThanMs) => after(Math.max(fromMs, laterThanMs)),
    lastUntil: (fromMs, untilMs) => {
      const first = after(fromMs);
      return first === null || first >= untilMs ? first : after(untilMs);
    },
    intervalBefore(atMs) {
      const [before] = times.previousRuns(1, new Date(atMs));
      return before ? atMs - before.getTime() : Number.POSITIVE_INFINITY;
    },
  };
}

/**
 * Reads an expression of five or six fields.
 *
 * @throws Fault `invalid_request` with what is wrong with it.
 */
export function parseCron(cron: string, timezone: string): Cron {
  const name = `${timezone}\n${cron}`;
  const known = parsedCrons.get(name);
  if (known) return known;
  let times: Cron;
  try {
    times = new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' });
  } catch (cause) {
    // The library names its classes: `CronPattern: Invalid value for hour: 25`.
    const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/^Cron\w*: /, '');
    throw new Fault('invalid_request', `schedule.cron: "${cron}" is no cron expression: ${reason}`, {
      param: 'schedule.cron',
      cause,
    });
  }
  if (parsedCrons.size >= MAX_PARSED_CRONS) parsedCrons.clear();
  parsedCrons.set(name, times);
  return times;
}

/**
 * Reads an expression that somebody wants to use: it must have a time to come.
 *
 * @throws Fault `invalid_request` for one that cannot be read, and for one that never occurs, such as 30 February.
 */
export function requireFutureOccurrence(cron: string, timezone: string): void {
  if (parseCron(cron, timezone).nextRun() !== null) return;
  throw new Fault(
    'invalid_request',
    `schedule.cron: "${cron}" never occurs: no date has that day and month. Example: 0 3 * * *`,
    { param: 'schedule.cron' },
  );
}
