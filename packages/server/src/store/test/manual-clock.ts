import type { Clock } from '../../core/clock.ts';

/** A clock that only a test advances. Timers run in the order of their time. */
export class ManualClock implements Clock {
  #now = 1_700_000_000_000;
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void) {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }
}
