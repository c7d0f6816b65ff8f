/**
 * A mutex that serves callers in the order of their calls. Transactions and row batches use it to share the
 * writer.
 */
export class FifoMutex {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, with the function that releases the mutex. */
  acquire(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    return before.then(() => resolve);
  }
}
