import type { Clock } from '../core/clock.ts';
import { FairLruMap } from '../core/fair-lru-map.ts';

/** Weight of the newest measurement. */
const SMOOTHING_FACTOR = 0.3;
/** Time in which the weight of a measurement halves, so that a target that was slow once is tried again. */
const HALF_LIFE_MS = 60_000;
const MAX_TARGETS = 10_000;

/**
 * Stores recent target latencies: time to first content for streams, total time for other
 * responses.
 */
export class TargetLatencies {
  #clock: Clock;
  #measures = new FairLruMap<{ ms: number; at: number }>(MAX_TARGETS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the expected latency in milliseconds, which decreases with the age of the measurements. Returns 0
   * for an unknown target, so that it is tried next.
   */
  expectedMs(orgId: string, target: string, stream: boolean): number {
    const measure = this.#measures.get(orgId, latencyKey(target, stream));
    if (!measure) return 0;
    return measure.ms * 0.5 ** ((this.#clock.monotonic() - measure.at) / HALF_LIFE_MS);
  }

  record(orgId: string, target: string, stream: boolean, ms: number): void {
    const key = latencyKey(target, stream);
    const known = this.#measures.get(orgId, key);
    const blended = known ? known.ms + SMOOTHING_FACTOR * (ms - known.ms) : ms;
    this.#measures.set(orgId, key, { ms: blended, at: this.#clock.monotonic() });
  }
}

/**
 * Returns the key of a latency. Streams have separate keys, because their latency is the time to their first
 * content.
 */
function latencyKey(target: string, stream: boolean): string {
  return `${stream ? 'stream' : 'whole'}\n${target}`;
}
