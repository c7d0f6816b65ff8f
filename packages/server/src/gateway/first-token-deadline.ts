import type { Clock } from '../core/clock.ts';

/** A target that says nothing for less than this is not silent, however quick it has been. */
export const MIN_SILENCE_MS = 15_000;
/** A target without recent streams is waited for so long. */
const DEFAULT_DEADLINE_MS = 60_000;
/** Reasoning models are silent for a minute and more; behind this another target is the better choice. */
const MAX_DEADLINE_MS = 120_000;
/** Longer ago says nothing of now. */
const RECENT_MS = 1_800_000;
/** Each deadline in a row that passed lengthens the next, so that a target that became slower is learned. */
const MISS_BACKOFF = 1.5;
const MAX_BACKOFF = 4;
const MAX_TARGETS = 10_000;

interface LatencyStats {
  readonly meanMs: number;
  readonly deviationMs: number;
}

interface DeadlineEstimate {
  /** Null while only deadlines have passed. */
  readonly measures: LatencyStats | null;
  readonly at: number;
  /** Deadlines that passed since the last first token. */
  readonly missed: number;
}

/**
 * How long a stream waits for its first content while another target is left. Mean and deviation of the recent
 * first tokens of each target, smoothed as RFC 6298 smooths round-trip times; the deadline is twice its time-out.
 */
export class FirstTokenDeadlines {
  #clock: Clock;
  #estimates = new Map<string, DeadlineEstimate>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds from sending the request to its first content. */
  deadlineMs(orgId: string, target: string): number {
    const known = this.#recent(orgId, target);
    if (!known) return DEFAULT_DEADLINE_MS;
    const { measures, missed } = known;
    const expectedMs = measures ? 2 * (measures.meanMs + 4 * measures.deviationMs) : DEFAULT_DEADLINE_MS;
    const backoff = Math.min(MAX_BACKOFF, MISS_BACKOFF ** missed);
    return Math.min(MAX_DEADLINE_MS, Math.max(MIN_SILENCE_MS, expectedMs) * backoff);
  }

  /** What the deadline rests on, in words for the decision trace. */
  describeBasis(orgId: string, target: string): string {
    const measures = this.#recent(orgId, target)?.measures;
    return measures
      ? `its recent first tokens took ${Math.round(measures.meanMs)} ms on average`
      : 'it has no recent first tokens';
  }

  /** The first content came after `ms`. */
  recordFirstToken(orgId: string, target: string, ms: number): void {
    const measures = this.#recent(orgId, target)?.measures;
    this.#set(orgId, target, { measures: smooth(measures ?? null, ms), missed: 0 });
  }

  /** The deadline passed without content. */
  recordMiss(orgId: string, target: string): void {
    const known = this.#recent(orgId, target);
    this.#set(orgId, target, { measures: known?.measures ?? null, missed: (known?.missed ?? 0) + 1 });
  }

  #recent(orgId: string, target: string): DeadlineEstimate | undefined {
    const known = this.#estimates.get(estimateKey(orgId, target));
    return known && this.#clock.monotonic() - known.at <= RECENT_MS ? known : undefined;
  }

  /** The targets that were used longest ago are forgotten first. */
  #set(orgId: string, target: string, estimate: Omit<DeadlineEstimate, 'at'>): void {
    const key = estimateKey(orgId, target);
    this.#estimates.delete(key);
    this.#estimates.set(key, { ...estimate, at: this.#clock.monotonic() });
    if (this.#estimates.size <= MAX_TARGETS) return;
    const [oldest] = this.#estimates.keys();
    if (oldest !== undefined) this.#estimates.delete(oldest);
  }
}

/** RFC 6298, section 2: an eighth of the newest time, a quarter of the newest deviation. */
function smooth(known: LatencyStats | null, ms: number): LatencyStats {
  if (!known) return { meanMs: ms, deviationMs: ms / 2 };
  const { meanMs, deviationMs } = known;
  return {
    meanMs: meanMs + (ms - meanMs) / 8,
    deviationMs: deviationMs + (Math.abs(ms - meanMs) - deviationMs) / 4,
  };
}

function estimateKey(orgId: string, target: string): string {
  return `${orgId}\n${target}`;
}
