import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import type { CachedResponse, ResponseCache, ResponseCacheSize } from './response-cache.ts';

/** Maximum size of all responses that the process caches. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;
/** Approximate size of a cache entry without its response. */
const ENTRY_OVERHEAD_BYTES = 512;
const PURGE_INTERVAL_MS = 60_000;

type OrgResponses = LRUCache<string, CachedResponse>;

/**
 * A response cache in the memory of this process, with a maximum size. If the cache is full, the organization that
 * uses the most memory loses its least recently used responses. An organization therefore cannot evict the responses
 * of another one that uses less.
 */
export class InMemoryResponseCache implements ResponseCache {
  readonly #byOrg = new Map<string, OrgResponses>();
  readonly #clock: Clock;
  readonly #maxBytes: number;
  #bytes = 0;
  #purgedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, maxBytes = MAX_CACHE_BYTES) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  async get(orgId: string, key: string): Promise<CachedResponse | null> {
    return this.#change(orgId, (answers) => answers.get(key)) ?? null;
  }

  async put(orgId: string, key: string, answer: CachedResponse, ttlMs: number): Promise<void> {
    if (!this.#byOrg.has(orgId)) this.#byOrg.set(orgId, this.#createOrgResponses());
    this.#change(orgId, (answers) => answers.set(key, answer, { ttl: ttlMs }));
    if (this.#bytes > this.#maxBytes) this.#purgeStale();
    while (this.#bytes > this.#maxBytes) this.#change(this.#findLargestOrg(), (answers) => answers.pop());
  }

  getSize(orgId: string): ResponseCacheSize {
    this.#change(orgId, (answers) => answers.purgeStale());
    const answers = this.#byOrg.get(orgId);
    return { entries: answers?.size ?? 0, bytes: answers?.calculatedSize ?? 0 };
  }

  /** Removes expired responses at most once a minute, so that those of idle organizations do not occupy memory. */
  #purgeStale(): void {
    const now = this.#clock.monotonic();
    if (now - this.#purgedAt < PURGE_INTERVAL_MS) return;
    this.#purgedAt = now;
    for (const orgId of [...this.#byOrg.keys()]) this.#change(orgId, (answers) => answers.purgeStale());
  }

  #createOrgResponses(): OrgResponses {
    return new LRUCache<string, CachedResponse>({
      maxSize: this.#maxBytes,
      sizeCalculation: entryBytes,
      // Uses the injected clock, because the library would cache the time and ignore a step of a test
      // clock.
      perf: { now: () => this.#clock.monotonic() },
      ttlResolution: 0,
    });
  }

  /** Runs `change`, which may add or remove responses of the organization, and updates the sizes. */
  #change<Result>(orgId: string, change: (answers: OrgResponses) => Result): Result | undefined {
    const answers = this.#byOrg.get(orgId);
    if (!answers) return undefined;
    const before = answers.calculatedSize;
    const result = change(answers);
    this.#bytes += answers.calculatedSize - before;
    if (answers.size === 0) this.#byOrg.delete(orgId);
    return result;
  }

  #findLargestOrg(): string {
    let largest = '';
    let most = -1;
    for (const [orgId, { calculatedSize }] of this.#byOrg)
      if (calculatedSize > most) [largest, most] = [orgId, calculatedSize];
    return largest;
  }

  async close(): Promise<void> {
    this.#byOrg.clear();
    this.#bytes = 0;
  }
}

function entryBytes({ head, body }: CachedResponse): number {
  return head.length + body.length + ENTRY_OVERHEAD_BYTES;
}
