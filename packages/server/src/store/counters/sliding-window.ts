/**
 * The number of one-second intervals in a window. An interval counts completely until all of it is
 * older than 60 seconds.
 */
export const SLIDING_WINDOW_INTERVALS = 61;

/**
 * Counts units within any 60 seconds, in one-second intervals. The oldest interval counts
 * completely even if only a part of it is in the window, so that no 60 seconds ever contain more
 * than `limit` units.
 */
export class SlidingWindow {
  readonly #slots = new Float64Array(SLIDING_WINDOW_INTERVALS);
  #second = 0;
  #sum = 0;

  /** Returns the units in the window that ends in `second`. */
  used(second: number): number {
    this.#expireSlots(second);
    return this.#sum;
  }

  /** Adds `amount` to the interval of the second `at` if the interval is still in the window. */
  add(at: number, amount: number, second: number): void {
    this.#expireSlots(second);
    if (at <= this.#second - SLIDING_WINDOW_INTERVALS || at > this.#second) return;
    const slot = at % SLIDING_WINDOW_INTERVALS;
    this.#slots[slot] = (this.#slots[slot] ?? 0) + amount;
    this.#sum += amount;
  }

  /**
   * Returns the seconds after `second` until `units` have left the window. Returns `SLIDING_WINDOW_INTERVALS` if
   * the window contains fewer units.
   */
  secondsUntilFreed(units: number, second: number): number {
    this.#expireSlots(second);
    let left = units;
    for (let age = SLIDING_WINDOW_INTERVALS - 1; age >= 0; age--) {
      left -= this.#slots[(second - age + SLIDING_WINDOW_INTERVALS) % SLIDING_WINDOW_INTERVALS] ?? 0;
      if (left <= 0) return SLIDING_WINDOW_INTERVALS - age;
    }
    return SLIDING_WINDOW_INTERVALS;
  }

  /** Returns the seconds after `second` until the window is empty. Returns 0 for an empty window. */
  secondsUntilEmpty(second: number): number {
    this.#expireSlots(second);
    for (let age = 0; age < SLIDING_WINDOW_INTERVALS; age++)
      if (this.#slots[(second - age + SLIDING_WINDOW_INTERVALS) % SLIDING_WINDOW_INTERVALS] !== 0)
        return SLIDING_WINDOW_INTERVALS - age;
    return 0;
  }

  #expireSlots(second: number): void {
    const passed = Math.min(second - this.#second, SLIDING_WINDOW_INTERVALS);
    for (let step = 1; step <= passed; step++) {
      const slot = (second - passed + step) % SLIDING_WINDOW_INTERVALS;
      this.#sum -= this.#slots[slot] ?? 0;
      this.#slots[slot] = 0;
    }
    if (second > this.#second) this.#second = second;
  }
}
