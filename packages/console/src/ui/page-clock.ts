/** The functions of the browser that a `PageClock` needs. */
export interface PageClockEnvironment {
  readonly nowMs: () => number;
  readonly isHidden: () => boolean;
  /** Calls `tick` every second until the returned function is called. */
  readonly everySecond: (tick: () => void) => () => void;
}

/** A time older than this is outdated: the clock had no subscribers or the tab was hidden. */
const STALE_MS = 1_100;

/**
 * The clock that all relative times on a page share. It ticks while it has subscribers and the tab is visible.
 * When it starts to tick again, it reads the current time immediately, so that recent events never appear to be
 * in the future.
 */
export class PageClock {
  readonly #time: PageClockEnvironment;
  readonly #readers = new Set<() => void>();
  #now: Date;
  #stop: (() => void) | null = null;

  constructor(time: PageClockEnvironment) {
    this.#time = time;
    this.#now = new Date(time.nowMs());
  }

  /** Returns the same object within one second, as React requires for snapshots. */
  readonly now = (): Date => {
    const nowMs = this.#time.nowMs();
    if (Math.abs(nowMs - this.#now.getTime()) >= STALE_MS) this.#now = new Date(nowMs);
    return this.#now;
  };

  /**
   * Subscribes to ticks.
   * @returns A function that unsubscribes.
   */
  readonly follow = (changed: () => void): (() => void) => {
    this.#readers.add(changed);
    this.#stop ??= this.#time.everySecond(() => this.#tick());
    return () => {
      this.#readers.delete(changed);
      if (this.#readers.size > 0) return;
      this.#stop?.();
      this.#stop = null;
    };
  };

  #tick(): void {
    if (this.#time.isHidden()) return;
    this.#now = new Date(this.#time.nowMs());
    for (const reader of this.#readers) reader();
  }
}
