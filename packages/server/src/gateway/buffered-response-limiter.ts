import { Fault } from '@floe/contract/faults';

/** Maximum size of a response that Floe keeps in memory, because it must be complete or is evaluated as a whole. */
export const MAX_BUFFERED_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Returns the fault for a response that exceeds the maximum size. */
export function createResponseTooLargeFault(): Fault {
  return new Fault(
    'upstream_error',
    'The provider sent a response larger than 64 MB, the maximum that Floe accepts. Request less output.',
  );
}

/** Limits how many bytes of a stream Floe buffers in memory. */
export class BufferedResponseLimiter {
  #bytes = 0;

  /** @throws Fault `upstream_error` if the stream is too large */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_BUFFERED_RESPONSE_BYTES) throw createResponseTooLargeFault();
  }
}
