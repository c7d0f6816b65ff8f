import type { Clock } from '../../core/clock.ts';

/** What answers about the past say of themselves. */
export interface AnalyticsDependencies {
  /** Rows that are not in the database yet. */
  backlog(): number;
  /** Days that requests are kept. */
  requestRetentionDays(): number;
  /** The time zone of an org. */
  timezone(orgId: string): string;
}

interface CoveredRange {
  readonly from: number;
  readonly to: number;
  readonly timezone: string;
}

const DAY_MS = 86_400_000;

/** Tells up to when everything is counted, and since when anything is kept. */
export class AnalyticsCoverage {
  readonly #dependencies: AnalyticsDependencies;
  #completeUntil = 0;

  constructor(dependencies: AnalyticsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The zone of days where a question names none. */
  timezoneOf(orgId: string): string {
    return this.#dependencies.timezone(orgId);
  }

  /** The part of every answer that says what range it is about. */
  describeRange({ from, to, timezone }: CoveredRange, clock: Clock) {
    const now = clock.now();
    if (this.#dependencies.backlog() === 0) this.#completeUntil = now;
    return {
      from: toIsoTimestamp(from),
      to: toIsoTimestamp(to),
      timezone,
      complete_until: toIsoTimestamp(Math.min(to, Math.max(this.#completeUntil, 0))),
      retained_from: toIsoTimestamp(Math.max(0, this.retainedFrom(now))),
    };
  }

  retainedFrom(nowMs: number): number {
    return nowMs - this.#dependencies.requestRetentionDays() * DAY_MS;
  }
}

export function toIsoTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
