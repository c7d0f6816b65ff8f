/**
 * Tracks the cacheable requests in progress in this process, by organization and fingerprint. An entry is
 * removed when its response can be read from the cache.
 */
export class InFlightRequests {
  readonly #requests = new Map<string, Promise<void>>();

  get(name: string): Promise<void> | undefined {
    return this.#requests.get(name);
  }

  /** Registers a request. The returned function ends it, whether or not it succeeded. */
  begin(name: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#requests.set(name, promise);
    return () => {
      if (this.#requests.get(name) === promise) this.#requests.delete(name);
      resolve();
    };
  }
}
