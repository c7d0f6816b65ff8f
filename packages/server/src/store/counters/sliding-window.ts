/** A slot counts whole until no part of it is within the last 60 seconds. */
export const SLIDING_WINDOW_SLOTS = 61;

/**
 * What came in any 60 seconds, in slots of one second. The oldest slot counts whole although only part of it
 * is within the window: at most `limit` in any 60 seconds, never more.
 */
export class SlidingWindow {
  readonly #slots = new Float64Array(SLIDING_WINDOW_SLOTS);
  #second = 0;
  #sum = 0;

  /** Units within the window that ends in `second`. */
  used(second: number): number {
    this.#expireSlots(second);
    return this.#sum;
  }

  /** Changes the slot of `at`, if that is still within the window. */
  add(at: number, amount: number, second: number): void {
    this.#expireSlots(second);
    if (at <= this.#second - SLIDING_WINDOW_SLOTS || at > this.#second) return;
    const slot = at % SLIDING_WINDOW_SLOTS;
    this.#slots[slot] = (this.#slots[slot] ?? 0) + amount;
    this.#sum += amount;
  }

  /** Seconds after `second` at which `units` have left; `SLIDING_WINDOW_SLOTS` when they never all do. */
  secondsUntilFreed(units: number, second: number): number {
    this.#expireSlots(second);
    let left = units;
    for (let age = SLIDING_WINDOW_SLOTS - 1; age >= 0; age--) {
      left -= this.#slots[(second - age + SLIDING_WINDOW_SLOTS) % SLIDING_WINDOW_SLOTS] ?? 0;
      if (left <= 0) return SLIDING_WINDOW_SLOTS - age;
    }
    return SLIDING_WINDOW_SLOTS;
  }

  /** Seconds after `second` at which nothing is left; 0 for an empty window. */
  secondsUntilEmpty(second: number): number {
    this.#expireSlots(second);
    for (let age = 0; age < SLIDING_WINDOW_SLOTS; age++)
      if (this.#slots[(second - age + SLIDING_WINDOW_SLOTS) % SLIDING_WINDOW_SLOTS] !== 0)
        return SLIDING_WINDOW_SLOTS - age;
    return 0;
  }

  #expireSlots(second: number): void {
    const passed = Math.min(second - this.#second, SLIDING_WINDOW_SLOTS);
    for (let step = 1; step <= passed; step++) {
      const slot = (second - passed + step) % SLIDING_WINDOW_SLOTS;
      this.#sum -= this.#slots[slot] ?? 0;
      this.#slots[slot] = 0;
    }
    if (second > this.#second) this.#second = second;
  }
}
