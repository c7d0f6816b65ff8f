/**
 * A point at which a test double waits for the test. It replaces sleeps: the test can see when the
 * test double has arrived (`arrivalCount`) and decides when it continues (`release`).
 */
export class TestGate {
  readonly #waiters: (() => void)[] = [];
  readonly #arrivals: { count: number; resolve: () => void }[] = [];
  #permits = 0;
  #arrivalCount = 0;

  /** Waits until released. An aborted signal removes the waiter, so that it does not consume a release. */
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

  /** Releases the next `count` waiters. Future waiters pass immediately if fewer are waiting. */
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

  /** Releases all current and future waiters. */
  open(): void {
    this.release(Number.POSITIVE_INFINITY);
  }

  /** Resolves when `pass` was called `count` times since the gate was created. */
  arrivalCount(count = 1): Promise<void> {
    if (this.#arrivalCount >= count) return Promise.resolve();
    return new Promise((resolve) => this.#arrivals.push({ count, resolve }));
  }
}
