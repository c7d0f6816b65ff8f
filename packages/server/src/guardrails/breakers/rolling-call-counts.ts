/** The counters that a breaker keeps for its calls. A `slow` call also counts as `ok`, and `retried` counts retries. */
export const CALL_COUNTER_NAMES = ['ok', 'failed', 'slow', 'retried'] as const;
/** The name of a counter that a breaker keeps for its calls. */
export type CallCounterName = (typeof CALL_COUNTER_NAMES)[number];

const SLOT_MS = 1000;
const SLOTS = 30;

/** Counts the calls of the last 30 seconds in one-second intervals. */
export class RollingCallCounts {
  /** Length of the window in milliseconds. */
  static readonly spanMs = SLOT_MS * SLOTS;
  #seconds = new Array<number>(SLOTS).fill(Number.NEGATIVE_INFINITY);
  #counts = new Map(CALL_COUNTER_NAMES.map((kind) => [kind, new Array<number>(SLOTS).fill(0)]));

  add(kind: CallCounterName, nowMs: number): void {
    const second = Math.floor(nowMs / SLOT_MS);
    const slot = second % SLOTS;
    if (this.#seconds[slot] !== second) {
      this.#seconds[slot] = second;
      for (const counts of this.#counts.values()) counts[slot] = 0;
    }
    const counts = this.#counts.get(kind);
    if (counts) counts[slot] = (counts[slot] ?? 0) + 1;
  }

  sum(kind: CallCounterName, nowMs: number): number {
    const oldest = Math.floor(nowMs / SLOT_MS) - SLOTS;
    const counts = this.#counts.get(kind) ?? [];
    let sum = 0;
    for (let slot = 0; slot < SLOTS; slot += 1)
      if ((this.#seconds[slot] ?? 0) > oldest) sum += counts[slot] ?? 0;
    return sum;
  }

  /** Returns the number of finished calls, including failures. */
  calls(nowMs: number): number {
    return this.sum('ok', nowMs) + this.sum('failed', nowMs);
  }

  clear(): void {
    this.#seconds.fill(Number.NEGATIVE_INFINITY);
  }
}
