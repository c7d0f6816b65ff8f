import type { Clock } from '../../core/clock.ts';

/** What answers about the past say of themselves. */
export interface AnalyticsHost {
  /** Rows that are not in the database yet. */
  backlog(): number;
  /** Days that requests are kept. */
  requestsDays(): number;
  /** The time zone of an org. */
  timezone(orgId: string): string;
}

interface Covered {
  readonly from: number;
  readonly to: number;
  readonly timezone: string;
}

const DAY_MS = 86_400_000;

/** Tells up to when everything is counted, and since when anything is kept. */
export class Coverage {
  readonly #host: AnalyticsHost;
  #completeUntil = 0;

  constructor(host: AnalyticsHost) {
    this.#host = host;
  }

  /** The zone of days where a question names none. */
  zoneOf(orgId: string): string {
    return this.#host.timezone(orgId);
  }

  /** The part of every answer that says what range it is about. */
  of({ from, to, timezone }: Covered, clock: Clock) {
    const now = clock.now();
    if (this.#host.backlog() === 0) this.#completeUntil = now;
    return {
      from: momentOf(from),
      to: momentOf(to),
      timezone,
      complete_until: momentOf(Math.min(to, Math.max(this.#completeUntil, 0))),
      retained_from: momentOf(Math.max(0, this.retainedFrom(now))),
    };
  }

  retainedFrom(nowMs: number): number {
    return nowMs - this.#host.requestsDays() * DAY_MS;
  }
}

export function momentOf(ms: number): string {
  return new Date(ms).toISOString();
}
