/** Equal requests under way in this process, by org and fingerprint; each ends when its answer can be read. */
export class Flights {
  readonly #flights = new Map<string, Promise<void>>();

  get(name: string): Promise<void> | undefined {
    return this.#flights.get(name);
  }

  /** The returned function ends the flight, however it went. */
  begin(name: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#flights.set(name, promise);
    return () => {
      if (this.#flights.get(name) === promise) this.#flights.delete(name);
      resolve();
    };
  }
}
