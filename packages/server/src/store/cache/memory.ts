import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import type { AnswerCache, KeptAnswer } from './answer-cache.ts';

/** All answers of the process together; the least recently used go first. */
const CACHE_BYTES = 64 * 1024 * 1024;
/** What an entry costs beside its own bytes, roughly. */
const ENTRY_BYTES = 512;

/** Answers in this process's memory, bounded by bytes. */
export class MemoryAnswerCache implements AnswerCache {
  readonly #answers: LRUCache<string, KeptAnswer>;

  constructor(clock: Clock, maxBytes = CACHE_BYTES) {
    this.#answers = new LRUCache<string, KeptAnswer>({
      maxSize: maxBytes,
      sizeCalculation: ({ head, body }) => head.length + body.length + ENTRY_BYTES,
      // The clock is injected; a cached reading of it would outlive a step of a test's.
      perf: { now: () => clock.monotonic() },
      ttlResolution: 0,
    });
  }

  async get(orgId: string, key: string): Promise<KeptAnswer | null> {
    return this.#answers.get(`${orgId}\n${key}`) ?? null;
  }

  async put(orgId: string, key: string, answer: KeptAnswer, ttlMs: number): Promise<void> {
    this.#answers.set(`${orgId}\n${key}`, answer, { ttl: ttlMs });
  }

  async close(): Promise<void> {
    this.#answers.clear();
  }
}
