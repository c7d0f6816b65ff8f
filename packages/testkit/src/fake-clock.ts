/** A timer that has not fired yet. */
interface PendingTimer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that tests advance, with the interface of the server's `Clock`. The wall clock and the
 * monotonic clock start at different values, so that a test fails if the code confuses the two.
 */
export class FakeClock {
  #wallMs: number;
  #monotonicMs: number;
  #order = 0;
  readonly #timers = new Set<PendingTimer>();

  /** `startMs` is the initial wall clock time in milliseconds since the Unix epoch. */
  constructor(startMs = Date.UTC(2026, 10, 21, 12)) {
    this.#wallMs = startMs;
    this.#monotonicMs = 1000;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  /** Calls `callback` once when the clock was advanced by `ms`, and only from within `advance`. */
  after(ms: number, callback: () => void): { cancel(): void } {
    const timer = { dueMs: this.#monotonicMs + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Advances both clocks and fires due timers in order of time, including timers that other timers set. */
  advance(ms: number): void {
    const untilMs = this.#monotonicMs + ms;
    for (let timer = this.#next(untilMs); timer; timer = this.#next(untilMs)) this.#run(timer);
    this.#moveTo(untilMs);
  }

  /** Like `advance`, but lets promises settle after each timer, for loops that await between two timers. */
  async advanceAsync(ms: number): Promise<void> {
    const untilMs = this.#monotonicMs + ms;
    await nextEventLoopTurn();
    for (let timer = this.#next(untilMs); timer; timer = this.#next(untilMs)) {
      this.#run(timer);
      await nextEventLoopTurn();
    }
    this.#moveTo(untilMs);
  }

  /** Changes only the wall clock, as an administrator or NTP would. Durations are not affected. */
  step(ms: number): void {
    this.#wallMs += ms;
  }

  /** Milliseconds until each pending timer fires, soonest first. */
  pending(): number[] {
    return [...this.#timers].map((timer) => timer.dueMs - this.#monotonicMs).sort((a, b) => a - b);
  }

  #next(untilMs: number): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs > untilMs) continue;
      if (!first || timer.dueMs < first.dueMs || (timer.dueMs === first.dueMs && timer.order < first.order))
        first = timer;
    }
    return first;
  }

  #run(timer: PendingTimer): void {
    this.#timers.delete(timer);
    this.#moveTo(timer.dueMs);
    timer.callback();
  }

  #moveTo(monotonicMs: number): void {
    const passedMs = Math.max(0, monotonicMs - this.#monotonicMs);
    this.#monotonicMs += passedMs;
    this.#wallMs += passedMs;
  }
}

/** Resolves after all microtasks and I/O callbacks that are ready now have run. */
export function nextEventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
