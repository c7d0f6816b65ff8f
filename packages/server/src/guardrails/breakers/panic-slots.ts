/** A share that has grown to this bounds nothing any more. */
const MAX_SLOTS = 1_024;

/**
 * How many requests may be at a target at once while its breaker lets none through and no other target is left: one,
 * and twice as many after each success.
 */
export class PanicSlots {
  #taken = 0;
  #slots = 1;

  /** Whether one more request may go. Each slot that was taken is released. */
  acquire(): boolean {
    if (this.#taken >= this.#slots) return false;
    this.#taken += 1;
    return true;
  }

  release(succeeded: boolean): void {
    this.#taken -= 1;
    this.#slots = succeeded ? Math.min(MAX_SLOTS, this.#slots * 2) : 1;
  }
}
