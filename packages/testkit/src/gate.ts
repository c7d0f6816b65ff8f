/**
 * A point where a fake waits until the test lets it go on. Stands in for every sleep: the test knows that the fake
 * has arrived (`arrived`) and decides when it continues (`release`).
 */
export class Gate {
  readonly #waiters: (() => void)[] = [];
  readonly #arrivals: { count: number; resolve: () => void }[] = [];
  #permits = 0;
  #arrivalCount = 0;

  /** Waits to be released. A signal that fires takes the waiter out, so that no release is spent on it. */
  pass(signal?: AbortSignal): Promise<void> {
    this.#arrivalCount += 1;
    for (const watch of this.#arrivals) if (watch.count <= this.#arrivalCount) watch.resolve();
    if (this.#permits > 0) {
      this.#permits -= 1;
      return Promise.resolve();
    }
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiters.splice(this.#waiters.indexOf(go), 1);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiters.push(go);
    });
  }

  /** Lets the next `count` through; those that have not arrived yet will not wait. */
  release(count = 1): void {
    for (let left = count; left > 0; left--) {
      const go = this.#waiters.shift();
      if (!go) {
        this.#permits += left;
        return;
      }
      go();
    }
  }

  /** Lets everybody through from now on. */
  open(): void {
    this.release(Number.POSITIVE_INFINITY);
  }

  /** Resolves once `count` passes have been asked for since the gate was made. */
  arrivalCount(count = 1): Promise<void> {
    if (this.#arrivalCount >= count) return Promise.resolve();
    return new Promise((resolve) => this.#arrivals.push({ count, resolve }));
  }
}
