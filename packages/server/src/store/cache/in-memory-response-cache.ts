import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import type { CachedResponse, ResponseCache, ResponseCacheSize } from './response-cache.ts';

/** Maximum size of all responses that the process caches. The least recently used ones are removed first. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;
/** Approximate size of a cache entry without its response. */
const ENTRY_OVERHEAD_BYTES = 512;

/** A response cache in the memory of this process, with a maximum size. */
export class InMemoryResponseCache implements ResponseCache {
  readonly #answers: LRUCache<string, CachedResponse>;
  readonly #sizes = new Map<string, { entries: number; bytes: number }>();

  constructor(clock: Clock, maxBytes = MAX_CACHE_BYTES) {
    this.#answers = new LRUCache<string, CachedResponse>({
      maxSize: maxBytes,
      sizeCalculation: entryBytes,
      // Storing the same response again is an update, for which the library does not call `dispose`.
      onInsert: (answer, key, reason) => {
        if (reason !== 'update') this.#count(key, 1, entryBytes(answer));
      },
      dispose: (answer, key) => this.#count(key, -1, -entryBytes(answer)),
      // Uses the injected clock, because the library would cache the time and ignore a step of a test
      // clock.
      perf: { now: () => clock.monotonic() },
      ttlResolution: 0,
    });
  }

  async get(orgId: string, key: string): Promise<CachedResponse | null> {
    return this.#answers.get(`${orgId}\n${key}`) ?? null;
  }

  async put(orgId: string, key: string, answer: CachedResponse, ttlMs: number): Promise<void> {
    this.#answers.set(`${orgId}\n${key}`, answer, { ttl: ttlMs });
  }

  getSize(orgId: string): ResponseCacheSize {
    this.#answers.purgeStale();
    return this.#sizes.get(orgId) ?? { entries: 0, bytes: 0 };
  }

  #count(key: string, entries: number, bytes: number): void {
    const orgId = key.slice(0, key.indexOf('\n'));
    const size = this.#sizes.get(orgId) ?? { entries: 0, bytes: 0 };
    size.entries += entries;
    size.bytes += bytes;
    if (size.entries === 0) this.#sizes.delete(orgId);
    else this.#sizes.set(orgId, size);
  }

  async close(): Promise<void> {
    this.#answers.clear();
  }
}

function entryBytes({ head, body }: CachedResponse): number {
  return head.length + body.length + ENTRY_OVERHEAD_BYTES;
}
