/** First come, first served: one holder at a time. Transactions and row batches share the writer so. */
export class FifoMutex {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, with the function that ends it. */
  acquire(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    return before.then(() => resolve);
  }
}
