import type { Clock } from '../../core/clock.ts';

/** The dependencies of the analytics operations. */
export interface AnalyticsDependencies {
  /** Number of rows that are not in the database yet. */
  backlog(): number;
  /** Unix milliseconds before which all rows of ended requests are in the database. */
  completeUntil(): number;
  /** Number of days for which requests are kept. */
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

/**
 * Determines the time range for which analytics data is complete. The range starts at the beginning of the retention
 * period, and ends at the time up to which all requests are in the database.
 */
export class AnalyticsDataRange {
  readonly #dependencies: AnalyticsDependencies;

  constructor(dependencies: AnalyticsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the time zone for queries that do not specify one. */
  timezoneOf(orgId: string): string {
    return this.#dependencies.timezone(orgId);
  }

  /** Returns the fields of a response that describe its time range. */
  describeRange({ from, to, timezone }: CoveredRange, clock: Clock) {
    const now = clock.now();
    return {
      from: toIsoTimestamp(from),
      to: toIsoTimestamp(to),
      timezone,
      complete_until: toIsoTimestamp(Math.min(to, this.#dependencies.completeUntil())),
      retained_from: toIsoTimestamp(Math.max(0, this.retainedFrom(now))),
    };
  }

  retainedFrom(nowMs: number): number {
    return nowMs - this.#dependencies.requestRetentionDays() * DAY_MS;
  }
}

/** Formats Unix milliseconds as ISO 8601 in UTC. */
export function toIsoTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
