import type { Clock, Timer } from '../../core/clock.ts';

/** A value with an optional expiry time. */
export interface ExpiringValue {
  /** Time of expiry in milliseconds of the injected clock; null if the value never expires. */
  readonly expiresAt: number | null;
}

/**
 * Minimum remaining lifetime of a value that is used, so that the request arrives before the value expires.
 */
const EXPIRY_MARGIN_MS = 10_000;
/**
 * How long before its expiry a value is renewed. A value with a shorter lifetime is renewed after half of it.
 */
const RENEW_AHEAD_MS = 5 * 60_000;
/** Delay after a failed renewal while the old value is still valid. */
const RETRY_DELAY_MS = 15_000;

/**
 * Fetches and caches a value that expires, such as a token or temporary keys. While the value is in
 * use, it is renewed in the background before it expires. Callers wait only for the first fetch and
 * after the value has expired. At most one fetch runs at a time.
 */
export class AutoRenewingValue<T extends ExpiringValue> {
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

  /** The value if it is valid; otherwise undefined. */
  get current(): T | undefined {
    const value = this.#value;
    if (value === undefined) return undefined;
    const now = this.#clock.now();
    if (value.expiresAt !== null && now >= value.expiresAt - EXPIRY_MARGIN_MS) return undefined;
    this.#isUsed = true;
    if (now >= this.#renewAt) this.#renewAhead();
    return value;
  }

  /** Fetches the value, or joins the fetch in progress. */
  renew(): Promise<T> {
    this.#pendingFetch ??= this.#fetchAndSchedule().finally(() => {
      this.#pendingFetch = undefined;
    });
    return this.#pendingFetch;
  }

  /**
   * Discards a value that was rejected. Always returns true, because the next attempt will use another value.
   */
  invalidate(refused: ExpiringValue): true {
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

  /**
   * Schedules the renewal. At that time, the value is renewed only if it has been used since the last
   * renewal. Otherwise, the next use renews it.
   */
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
