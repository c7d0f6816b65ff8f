import { Fault } from '@floe/contract/faults';
import type { ExchangeCapacity } from './overload/overload-manager.ts';

/** Maximum size of a response that Floe keeps in memory, because it must be complete or is evaluated as a whole. */
export const MAX_BUFFERED_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Returns the fault for a response that exceeds the maximum size. */
export function createResponseTooLargeFault(): Fault {
  return new Fault(
    'upstream_error',
    'The provider sent a response larger than 64 MB, the maximum that Floe accepts. Request less output.',
  );
}

/** Memory is reserved in parts of at least this size, so that small responses need no reservation. */
const MIN_RESERVED_BYTES = 64 * 1024;

/** Limits the size of a response that Floe keeps in memory, in whole or in part, and reserves this memory. */
export class BufferedResponseLimiter {
  readonly #capacity: ExchangeCapacity;
  #bytes = 0;
  #reservedBytes = 0;

  constructor(capacity: ExchangeCapacity) {
    this.#capacity = capacity;
  }

  /**
   * Counts received bytes. `keptBytes` is how much of all received bytes is in memory now.
   * @throws Fault `upstream_error` if the response is too large, or `overloaded` if no memory is available
   */
  add(bytes: number, keptBytes = this.#bytes + bytes): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_BUFFERED_RESPONSE_BYTES) throw createResponseTooLargeFault();
    this.reserve(keptBytes);
  }

  /** Reserves the memory for `keptBytes` in total. @throws Fault `overloaded` if no memory is available */
  reserve(keptBytes: number): void {
    const wanted = keptBytes < MIN_RESERVED_BYTES ? 0 : keptBytes;
    const change = wanted - this.#reservedBytes;
    if (Math.abs(change) < MIN_RESERVED_BYTES) return;
    if (change < 0) this.#capacity.releaseBodyBytes(-change);
    else if (!this.#capacity.tryTakeBodyBytes(change)) throw this.#capacity.reject();
    this.#reservedBytes = wanted;
  }

  /** Gives the memory back. The end of the exchange does the same. */
  release(): void {
    this.#bytes = 0;
    this.reserve(0);
  }
}
