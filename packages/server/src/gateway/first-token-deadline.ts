import type { Clock } from '../core/clock.ts';
import { FairLruMap } from '../core/fair-lru-map.ts';

/**
 * The minimum deadline for the first token, in milliseconds, regardless of how fast the target has responded
 * before.
 */
export const MIN_FIRST_TOKEN_DEADLINE_MS = 15_000;
/** Deadline for a target without recent streams. */
const DEFAULT_DEADLINE_MS = 60_000;
/**
 * Maximum deadline. Reasoning models may be silent for more than a minute; after this time another target is
 * preferable.
 */
const MAX_DEADLINE_MS = 120_000;
/** Maximum age of the measurements that are used. */
const RECENT_MS = 1_800_000;
/**
 * Factor by which each consecutive missed deadline increases the next one, so that the deadline adapts to a
 * slower target.
 */
const MISS_BACKOFF = 1.5;
const MAX_BACKOFF = 4;
const MAX_TARGETS = 10_000;

interface LatencyStats {
  readonly meanMs: number;
  readonly deviationMs: number;
}

interface DeadlineEstimate {
  /** Null if the target has missed every deadline so far. */
  readonly measures: LatencyStats | null;
  readonly at: number;
  /** Number of missed deadlines since the last first token. */
  readonly missed: number;
}

/**
 * Computes how long a stream waits for its first content if there is another target. For each
 * target, it keeps the smoothed mean and deviation of recent times to first token, as in RFC 6298.
 * The deadline is twice the timeout that RFC 6298 computes.
 */
export class FirstTokenDeadlines {
  #clock: Clock;
  #estimates = new FairLruMap<DeadlineEstimate>(MAX_TARGETS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the deadline for the first content, in milliseconds after the request was sent. */
  deadlineMs(orgId: string, target: string): number {
    const known = this.#recent(orgId, target);
    if (!known) return DEFAULT_DEADLINE_MS;
    const { measures, missed } = known;
    const expectedMs = measures ? 2 * (measures.meanMs + 4 * measures.deviationMs) : DEFAULT_DEADLINE_MS;
    const backoff = Math.min(MAX_BACKOFF, MISS_BACKOFF ** missed);
    return Math.min(MAX_DEADLINE_MS, Math.max(MIN_FIRST_TOKEN_DEADLINE_MS, expectedMs) * backoff);
  }

  /** Describes how the deadline was computed, for the decisions of an exchange. */
  describeBasis(orgId: string, target: string): string {
    const measures = this.#recent(orgId, target)?.measures;
    return measures
      ? `its recent average time to first token is ${Math.round(measures.meanMs)} ms`
      : 'its recent time to first token is unknown';
  }

  /** Records that the first content arrived after `ms` milliseconds. */
  recordFirstToken(orgId: string, target: string, ms: number): void {
    const measures = this.#recent(orgId, target)?.measures;
    this.#set(orgId, target, { measures: smooth(measures ?? null, ms), missed: 0 });
  }

  /** Records that the deadline passed without content. */
  recordMiss(orgId: string, target: string): void {
    const known = this.#recent(orgId, target);
    this.#set(orgId, target, { measures: known?.measures ?? null, missed: (known?.missed ?? 0) + 1 });
  }

  #recent(orgId: string, target: string): DeadlineEstimate | undefined {
    const known = this.#estimates.get(orgId, target);
    return known && this.#clock.monotonic() - known.at <= RECENT_MS ? known : undefined;
  }

  #set(orgId: string, target: string, estimate: Omit<DeadlineEstimate, 'at'>): void {
    this.#estimates.set(orgId, target, { ...estimate, at: this.#clock.monotonic() });
  }
}

/**
 * Updates the smoothed mean and deviation (RFC 6298, section 2): the newest time has a weight of one eighth,
 * the newest deviation of one quarter.
 */
function smooth(known: LatencyStats | null, ms: number): LatencyStats {
  if (!known) return { meanMs: ms, deviationMs: ms / 2 };
  const { meanMs, deviationMs } = known;
  return {
    meanMs: meanMs + (ms - meanMs) / 8,
    deviationMs: deviationMs + (Math.abs(ms - meanMs) - deviationMs) / 4,
  };
}
