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

/** Limits how many bytes of a response Floe buffers in memory, and reserves this memory. */
export class BufferedResponseLimiter {
  readonly #capacity: ExchangeCapacity;
  #bytes = 0;
  #reservedBytes = 0;

  constructor(capacity: ExchangeCapacity) {
    this.#capacity = capacity;
  }

  /** @throws Fault `upstream_error` if the response is too large, or `overloaded` if no memory is available */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_BUFFERED_RESPONSE_BYTES) throw createResponseTooLargeFault();
    const missing = this.#bytes - this.#reservedBytes;
    if (missing < MIN_RESERVED_BYTES) return;
    if (!this.#capacity.tryTakeBodyBytes(missing)) throw this.#capacity.reject();
    this.#reservedBytes = this.#bytes;
  }

  /** Gives the memory back. The end of the exchange does the same. */
  release(): void {
    this.#capacity.releaseBodyBytes(this.#reservedBytes);
    this.#bytes = 0;
    this.#reservedBytes = 0;
  }
}
