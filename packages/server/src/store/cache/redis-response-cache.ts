import type { Redis } from 'ioredis';
import type { Clock } from '../../core/clock.ts';
import {
  measureSharedStoreCall,
  NOOP_SHARED_STORE_OBSERVER,
  type SharedStoreObserver,
} from '../counters/observed-counters.ts';
import { openRedisClient } from '../redis-client.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';

/**
 * Maximum wait for Redis. If Redis takes longer, the request goes to the provider, and Redis is not used for
 * the same time.
 */
const TIMEOUT_MS = 50;
const COOLDOWN_MS = 1_000;
const HEAD_LENGTH_BYTES = 4;

export interface RedisResponseCacheOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  readonly clock: Clock;
  /** Returns whether a request has just waited for Redis without a response. A request waits only once. */
  readonly isStoreSlow?: () => boolean;
  /** Receives the durations of calls. */
  readonly observe?: SharedStoreObserver;
  /** Called once per outage. */
  readonly onUnavailable?: (error: unknown) => void;
}

/**
 * Opens the response cache that all processes share. Does not wait for a connection to Redis. Until
 * Redis is available, the cache is empty.
 */
export async function openRedisResponseCache(options: RedisResponseCacheOptions): Promise<ResponseCache> {
  const client = await openRedisClient(options.url);
  // Without a listener, a broken connection would end the process. Each command reports the error to its
  // caller.
  client.on('error', () => undefined);
  return new RedisResponseCache(client, options);
}

class RedisResponseCache implements ResponseCache {
  readonly #client: Redis;
  readonly #options: RedisResponseCacheOptions;
  #cooldownUntil = Number.NEGATIVE_INFINITY;

  constructor(client: Redis, options: RedisResponseCacheOptions) {
    this.#client = client;
    this.#options = options;
  }

  async get(orgId: string, key: string): Promise<CachedResponse | null> {
    const found = await this.#within('cache_get', () => this.#client.getBuffer(redisKeyOf(orgId, key)));
    return found ? decodeCachedResponse(found) : null;
  }

  async put(orgId: string, key: string, answer: CachedResponse, ttlMs: number): Promise<void> {
    await this.#within('cache_put', () =>
      this.#client.set(redisKeyOf(orgId, key), encodeCachedResponse(answer), 'PX', ttlMs),
    );
  }

  /**
   * Returns null, because Redis has no index of an organization's keys, and a scan would slow down all
   * clients.
   */
  getSize(): null {
    return null;
  }

  async close(): Promise<void> {
    this.#client.disconnect();
  }

  /**
   * Returns the result of a command. Returns null if Redis is unavailable or too slow, or was so a moment
   * ago.
   */
  async #within<T>(operation: 'cache_get' | 'cache_put', command: () => Promise<T>): Promise<T | null> {
    const { clock, onUnavailable, isStoreSlow, observe = NOOP_SHARED_STORE_OBSERVER } = this.#options;
    if (clock.monotonic() < this.#cooldownUntil || isStoreSlow?.()) return null;
    const late = Promise.withResolvers<never>();
    const timer = clock.after(TIMEOUT_MS, () =>
      late.reject(new Error(`the shared store did not respond within ${TIMEOUT_MS} ms`)),
    );
    try {
      return await Promise.race([
        measureSharedStoreCall(operation, { clock, observe }, command),
        late.promise,
      ]);
    } catch (error) {
      this.#cooldownUntil = clock.monotonic() + COOLDOWN_MS;
      onUnavailable?.(error);
      return null;
    } finally {
      timer.cancel();
    }
  }
}

/**
 * Returns the Redis key of a response. Keys have a hash tag per organization, as counters do, so that a
 * cluster stores them together.
 */
function redisKeyOf(orgId: string, key: string): string {
  return `floe:{${orgId}}:answer:${key}`;
}

function encodeCachedResponse({ head, body }: CachedResponse): Buffer {
  const text = Buffer.from(head);
  const length = Buffer.alloc(HEAD_LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, body]);
}

function decodeCachedResponse(packed: Buffer): CachedResponse | null {
  if (packed.length < HEAD_LENGTH_BYTES) return null;
  const from = HEAD_LENGTH_BYTES + packed.readUInt32BE();
  return from > packed.length
    ? null
    : { head: packed.toString('utf8', HEAD_LENGTH_BYTES, from), body: packed.subarray(from) };
}
