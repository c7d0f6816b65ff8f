import type { Clock } from '../../core/clock.ts';
import { FairLruMap } from '../../core/fair-lru-map.ts';
import type { CachedResponse, ResponseCache, ResponseCacheSize } from './response-cache.ts';

/** Maximum size of all responses that the process caches. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;
/** Approximate size of a cache entry without its response. */
const ENTRY_OVERHEAD_BYTES = 512;
const PURGE_INTERVAL_MS = 60_000;

interface CacheEntry {
  readonly response: CachedResponse;
  readonly bytes: number;
  /** Monotonic time in milliseconds. */
  readonly expiresAt: number;
}

/**
 * A response cache in the memory of this process, with a maximum size. An organization cannot evict the responses of
 * another one that uses less memory.
 */
export class InMemoryResponseCache implements ResponseCache {
  readonly #entries: FairLruMap<CacheEntry>;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  #purgedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, maxBytes = MAX_CACHE_BYTES) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#entries = new FairLruMap(maxBytes, ({ bytes }) => bytes);
  }

  async get(orgId: string, key: string): Promise<CachedResponse | null> {
    const entry = this.#entries.get(orgId, key);
    if (entry === undefined || entry.expiresAt > this.#clock.monotonic()) return entry?.response ?? null;
    this.#entries.delete(orgId, key);
    return null;
  }

  async put(orgId: string, key: string, response: CachedResponse, ttlMs: number): Promise<void> {
    const now = this.#clock.monotonic();
    const bytes = response.head.length + response.body.length + ENTRY_OVERHEAD_BYTES;
    this.#entries.delete(orgId, key);
    if (bytes > this.#maxBytes) return;
    if (this.#entries.size + bytes > this.#maxBytes) this.#purgeExpired(now);
    this.#entries.set(orgId, key, { response, bytes, expiresAt: now + ttlMs });
  }

  getSize(orgId: string): ResponseCacheSize {
    this.#purgeOrg(orgId, this.#clock.monotonic());
    return { entries: this.#entries.entriesOf(orgId).size, bytes: this.#entries.sizeOf(orgId) };
  }

  /** Removes expired responses at most once a minute, so that those of idle organizations do not occupy memory. */
  #purgeExpired(now: number): void {
    if (now - this.#purgedAt < PURGE_INTERVAL_MS) return;
    this.#purgedAt = now;
    for (const orgId of this.#entries.listOrgIds()) this.#purgeOrg(orgId, now);
  }

  #purgeOrg(orgId: string, now: number): void {
    for (const [key, { expiresAt }] of this.#entries.entriesOf(orgId))
      if (expiresAt <= now) this.#entries.delete(orgId, key);
  }

  async close(): Promise<void> {
    this.#entries.clear();
  }
}
