/** What a clock of a page needs of the browser. */
export interface PageClockEnvironment {
  readonly nowMs: () => number;
  readonly isHidden: () => boolean;
  /** Calls back every second until the returned function is called. */
  readonly everySecond: (tick: () => void) => () => void;
}

/** Older than this the time was not kept up: nobody followed it, or the tab was hidden. */
const STALE_MS = 1_100;

/**
 * One clock for all relative times of a page. It ticks while somebody follows it and the tab is seen; whoever looks
 * after a pause gets the time as it is, so that what has just happened is never in the future.
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

  /** The same object within a second, as React wants it of a snapshot. */
  readonly now = (): Date => {
    const nowMs = this.#time.nowMs();
    if (Math.abs(nowMs - this.#now.getTime()) >= STALE_MS) this.#now = new Date(nowMs);
    return this.#now;
  };

  /** @returns ends it */
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
