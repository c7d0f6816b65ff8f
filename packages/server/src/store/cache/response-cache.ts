/** A complete cached response: its metadata and its body. */
export interface CachedResponse {
  /** JSON that the gateway stores with the response. The cache does not read it. */
  readonly head: string;
  readonly body: Buffer;
}

/**
 * Stores responses by key, each with an expiration time. Because a lost response only costs a call
 * to a provider, the methods never fail. A response that cannot be read is treated as missing, and
 * one that cannot be stored is dropped. All implementations pass one test suite.
 */
export interface ResponseCache {
  get(orgId: string, key: string): Promise<CachedResponse | null>;
  put(orgId: string, key: string, answer: CachedResponse, ttlMs: number): Promise<void>;
  /** Size of the stored responses of an organization. Null if it is unknown. */
  getSize(orgId: string): ResponseCacheSize | null;
  close(): Promise<void>;
}

/** The size of an organization's cached responses. */
export interface ResponseCacheSize {
  readonly entries: number;
  /** Stored bytes, including the overhead of entries. */
  readonly bytes: number;
}
