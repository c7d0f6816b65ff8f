/**
 * A point where a fake waits until the test lets it go on. Stands in for every sleep: the test knows that the fake
 * has arrived (`arrived`) and decides when it continues (`release`).
 */
export class Gate {
  readonly #waiting: (() => void)[] = [];
  readonly #arrivals: { count: number; resolve: () => void }[] = [];
  #credit = 0;
  #arrived = 0;

  /** Waits to be released. A signal that fires takes the waiter out, so that no release is spent on it. */
  pass(signal?: AbortSignal): Promise<void> {
    this.#arrived += 1;
    for (const watch of this.#arrivals) if (watch.count <= this.#arrived) watch.resolve();
    if (this.#credit > 0) {
      this.#credit -= 1;
      return Promise.resolve();
    }
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(go);
    });
  }

  /** Lets the next `count` through; those that have not arrived yet will not wait. */
  release(count = 1): void {
    for (let left = count; left > 0; left--) {
      const go = this.#waiting.shift();
      if (!go) {
        this.#credit += left;
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
  arrived(count = 1): Promise<void> {
    if (this.#arrived >= count) return Promise.resolve();
    return new Promise((resolve) => this.#arrivals.push({ count, resolve }));
  }
}
