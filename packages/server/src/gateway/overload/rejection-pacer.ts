import type { Clock } from '../../core/clock.ts';

/** The shortest time after which a client may retry. */
export const MIN_RETRY_AFTER_MS = 1_000;

const BATCH_MS = 10;
/** If the timer of a batch fires later than this, the event loop is saturated. */
const SATURATED_MS = 5;
/**
 * Maximum number of rejections per millisecond while the event loop is the bottleneck. A rejection, including
 * reading its request body, takes 30 to 120 µs.
 */
const MAX_REJECTIONS_PER_MS = 2;
/**
 * Maximum number of waiting rejections. Further ones are sent immediately, so that their requests do not use
 * memory.
 */
const MAX_WAITING = 2_000;

/**
 * Decides when the response to a rejected request is sent. The first rejection of a connection is sent immediately. A
 * client that sends its next request on the same connection before it may retry has to wait, so that it does not take
 * time from admitted requests: about 10 ms, and longer while the event loop is the bottleneck.
 */
export class RejectionPacer {
  readonly #clock: Clock;
  readonly #isReduced: () => boolean;
  /** When the last request of each connection was rejected. */
  readonly #rejectedAt = new WeakMap<object, number>();
  #waiting: (() => void)[] = [];
  #batchAt = 0;

  /** @param isReduced returns whether the number of exchanges is limited because of the event loop */
  constructor(clock: Clock, isReduced: () => boolean) {
    this.#clock = clock;
    this.#isReduced = isReduced;
  }

  /** Resolves when the response to a rejected request may be sent. Null if it may be sent immediately. */
  wait(connection: object): Promise<void> | null {
    const nowMs = this.#clock.monotonic();
    const rejectedAt = this.#rejectedAt.get(connection);
    this.#rejectedAt.set(connection, nowMs);
    if (rejectedAt === undefined || nowMs - rejectedAt >= MIN_RETRY_AFTER_MS) return null;
    if (this.#waiting.length >= MAX_WAITING) return null;
    if (this.#waiting.length === 0) this.#schedule();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  #schedule(): void {
    this.#batchAt = this.#clock.monotonic() + BATCH_MS;
    this.#clock.after(BATCH_MS, () => this.#sendBatch());
  }

  #sendBatch(): void {
    const lateMs = this.#clock.monotonic() - this.#batchAt;
    const count =
      lateMs > SATURATED_MS || this.#isReduced()
        ? Math.ceil((lateMs + BATCH_MS) * MAX_REJECTIONS_PER_MS)
        : this.#waiting.length;
    for (const resolve of this.#waiting.splice(0, count)) resolve();
    if (this.#waiting.length > 0) this.#schedule();
  }
}
