import { Fault } from '@floe/contract/faults';
import type { Clock, Timer } from '../core/clock.ts';

/** Time limit without body data. Each KB extends the time limit of the whole body by one second. */
const STALL_MS = 30_000;
const MIN_BYTES_PER_SECOND = 1024;

/**
 * Ends the reading of a request body whose client sends nothing for 30 s, or less than 1 KB/s after the first 30 s.
 */
export class BodyDeadline {
  readonly #clock: Clock;
  readonly #onTimeout: (fault: Fault) => void;
  #timer: Timer;
  readonly #startedAt: number;
  #lastAt: number;
  #bytes = 0;

  /** @param onTimeout receives Fault `request_timeout` */
  constructor(clock: Clock, onTimeout: (fault: Fault) => void) {
    this.#clock = clock;
    this.#onTimeout = onTimeout;
    this.#startedAt = this.#lastAt = clock.monotonic();
    this.#timer = this.#schedule(STALL_MS);
  }

  /** Must be called for each part of the body. */
  received(bytes: number): void {
    this.#bytes += bytes;
    this.#lastAt = this.#clock.monotonic();
  }

  cancel(): void {
    this.#timer.cancel();
  }

  #schedule(ms: number): Timer {
    return this.#clock.after(ms, () => this.#check());
  }

  /** One timer serves all parts. If it fires early, it is set again for the remaining time. */
  #check(): void {
    const extensionMs = (this.#bytes / MIN_BYTES_PER_SECOND) * 1000;
    const until = Math.min(this.#lastAt, this.#startedAt + extensionMs) + STALL_MS;
    const leftMs = until - this.#clock.monotonic();
    if (leftMs > 0) this.#timer = this.#schedule(leftMs);
    else this.#onTimeout(new Fault('request_timeout', STALLED));
  }
}

const STALLED =
  'The request body arrived too slowly: no data for 30 seconds, or less than 1 KB per second on average after the first 30 seconds. Check the connection between the client and Floe, then send the request again.';
