import type { Clock, Timer } from '../../core/clock.ts';

export interface Expiring {
  /** By the injected clock; null when it never does. */
  readonly expiresAt: number | null;
}

/** A value this close to its end is not used any more: the request that carries it has to arrive. */
const EXPIRY_MARGIN_MS = 10_000;
/** Renewed this long before its end, or halfway through a shorter life. */
const RENEW_AHEAD_MS = 5 * 60_000;
/** After a failed renewal, while the old value still serves. */
const RETRY_DELAY_MS = 15_000;

/**
 * Something that is fetched, kept and renewed before it expires: a token, temporary keys. As long as it is in
 * use it is renewed ahead of its end, in the background, so that nobody waits for it; only the first fetch, and
 * one after an end that could not be prevented, is waited for. Never two fetches at once.
 */
export class AutoRenewed<T extends Expiring> {
  readonly #clock: Clock;
  readonly #fetch: () => Promise<T>;
  #value: T | undefined;
  #pendingFetch: Promise<T> | undefined;
  #timer: Timer | undefined;
  #isUsed = true;
  #renewAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, fetch: () => Promise<T>) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /** The value, when it is good: nothing to wait for. */
  get current(): T | undefined {
    const value = this.#value;
    if (value === undefined) return undefined;
    const now = this.#clock.now();
    if (value.expiresAt !== null && now >= value.expiresAt - EXPIRY_MARGIN_MS) return undefined;
    this.#isUsed = true;
    if (now >= this.#renewAt) this.#renewAhead();
    return value;
  }

  /** Fetches it, or joins the fetch under way. */
  renew(): Promise<T> {
    this.#pendingFetch ??= this.#fetchAndSchedule().finally(() => {
      this.#pendingFetch = undefined;
    });
    return this.#pendingFetch;
  }

  /** What was refused is not offered again. Always true: the next try has something else. */
  invalidate(refused: Expiring): true {
    if (this.#value === refused) this.#value = undefined;
    return true;
  }

  async #fetchAndSchedule(): Promise<T> {
    const value = await this.#fetch();
    this.#value = value;
    if (value.expiresAt !== null) {
      const left = value.expiresAt - this.#clock.now();
      this.#scheduleRenewal(Math.max(left - RENEW_AHEAD_MS, left / 2));
    }
    return value;
  }

  /** At that time it is renewed if anybody used it since; else by the first who does. */
  #scheduleRenewal(ms: number): void {
    this.#timer?.cancel();
    this.#renewAt = this.#clock.now() + ms;
    const wake = () => {
      if (this.#isUsed) this.#renewAhead();
    };
    this.#timer = this.#clock.after(ms, wake);
  }

  #renewAhead(): void {
    if (this.#pendingFetch) return;
    this.#isUsed = false;
    this.renew().catch(() => this.#scheduleRenewal(RETRY_DELAY_MS));
  }
}
