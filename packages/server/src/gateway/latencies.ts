import type { Clock } from '../core/clock.ts';

/** Weight of the newest measure. */
const SMOOTHING_FACTOR = 0.3;
/** A measure counts half as much after this time, so that a target that was slow once is asked again. */
const HALF_LIFE_MS = 60_000;
const MAX_TARGETS = 10_000;

/** How quickly targets answered of late: time to the first content of streams, the whole time of other answers. */
export class Latencies {
  #clock: Clock;
  #measures = new Map<string, { ms: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds to expect, fading with age; 0 for a target nobody knows, which makes it the next to try. */
  expectedMs(orgId: string, target: string, stream: boolean): number {
    const measure = this.#measures.get(latencyKey(orgId, target, stream));
    if (!measure) return 0;
    return measure.ms * 0.5 ** ((this.#clock.monotonic() - measure.at) / HALF_LIFE_MS);
  }

  record(orgId: string, target: string, stream: boolean, ms: number): void {
    const key = latencyKey(orgId, target, stream);
    const known = this.#measures.get(key);
    const blended = known ? known.ms + SMOOTHING_FACTOR * (ms - known.ms) : ms;
    this.#measures.delete(key);
    this.#measures.set(key, { ms: blended, at: this.#clock.monotonic() });
    if (this.#measures.size <= MAX_TARGETS) return;
    const [oldest] = this.#measures.keys();
    if (oldest !== undefined) this.#measures.delete(oldest);
  }
}

/** Streams are measured to their first content, so they are kept apart from answers that come whole. */
function latencyKey(orgId: string, target: string, stream: boolean): string {
  return `${stream ? 'stream' : 'whole'}\n${orgId}\n${target}`;
}
