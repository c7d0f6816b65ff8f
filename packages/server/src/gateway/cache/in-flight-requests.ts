/** Equal requests under way in this process, by org and fingerprint; each ends when its answer can be read. */
export class InFlightRequests {
  readonly #requests = new Map<string, Promise<void>>();

  get(name: string): Promise<void> | undefined {
    return this.#requests.get(name);
  }

  /** The returned function ends the flight, however it went. */
  begin(name: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#requests.set(name, promise);
    return () => {
      if (this.#requests.get(name) === promise) this.#requests.delete(name);
      resolve();
    };
  }
}
