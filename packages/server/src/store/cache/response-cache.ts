/** A whole answer as it was told, and what is known about it. */
export interface CachedResponse {
  /** JSON of whoever keeps it; the store does not look inside. */
  readonly head: string;
  readonly body: Buffer;
}

/**
 * Answers by key, each for its time. Losing one costs a call to a provider, so no store of answers ever fails
 * its caller: what cannot be read is absent, what cannot be kept is not. Memory and Redis pass one suite.
 */
export interface ResponseCache {
  get(orgId: string, key: string): Promise<CachedResponse | null>;
  put(orgId: string, key: string, answer: CachedResponse, ttlMs: number): Promise<void>;
  /** What is kept for an org; null where nobody counts it. */
  getSize(orgId: string): ResponseCacheSize | null;
  close(): Promise<void>;
}

export interface ResponseCacheSize {
  readonly entries: number;
  /** As they are kept, what an entry costs beside its own bytes included. */
  readonly bytes: number;
}
