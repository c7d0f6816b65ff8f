/** At this number of slots there is effectively no limit, so it stops growing. */
const MAX_SLOTS = 1_024;

/**
 * Limits concurrent requests to a target whose breaker rejects them, for the case that no other
 * target is left. Admits one concurrent request at first, and doubles the number after each
 * success.
 */
export class PanicModeConcurrencyLimiter {
  #taken = 0;
  #slots = 1;

  /** Acquires a slot. Returns false if all are in use. The caller must release the slot. */
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
