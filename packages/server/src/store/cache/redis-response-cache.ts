import type { Redis } from 'ioredis';
import type { Clock } from '../../core/clock.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';

/** A provider is asked instead when Redis takes longer; and for so long Redis is left alone then. */
const TIMEOUT_MS = 50;
const COOLDOWN_MS = 1_000;
const RECONNECT_MS = 500;
const HEAD_LENGTH_BYTES = 4;

export interface RedisResponseCacheOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  readonly clock: Clock;
  /** Whether Redis just let somebody else wait in vain: a request waits for it once. */
  readonly isStoreSlow?: () => boolean;
  /** Told once for each time it goes away. */
  readonly onUnavailable?: (error: unknown) => void;
}

/** Opens the answers all processes share. Does not wait for Redis: it is absent until it is there. */
export async function openRedisResponseCache(options: RedisResponseCacheOptions): Promise<ResponseCache> {
  const { Redis } = await import('ioredis');
  const client = new Redis(options.url, {
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: () => RECONNECT_MS,
    disableClientInfo: true,
  });
  // Unheard, a broken connection would end the process; each command tells it to its caller.
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
    const found = await this.#within(() => this.#client.getBuffer(redisKeyOf(orgId, key)));
    return found ? decodeCachedResponse(found) : null;
  }

  async put(orgId: string, key: string, answer: CachedResponse, ttlMs: number): Promise<void> {
    await this.#within(() =>
      this.#client.set(redisKeyOf(orgId, key), encodeCachedResponse(answer), 'PX', ttlMs),
    );
  }

  /** Redis has no index of an org's answers, and a walk over its keys would cost everybody. */
  getSize(): null {
    return null;
  }

  async close(): Promise<void> {
    this.#client.disconnect();
  }

  /** The command's outcome; null when Redis is away, too slow, or rests from the last time it was. */
  async #within<T>(command: () => Promise<T>): Promise<T | null> {
    const { clock, onUnavailable, isStoreSlow } = this.#options;
    if (clock.monotonic() < this.#cooldownUntil || isStoreSlow?.()) return null;
    const late = Promise.withResolvers<never>();
    const timer = clock.after(TIMEOUT_MS, () =>
      late.reject(new Error(`no response within ${TIMEOUT_MS} ms`)),
    );
    try {
      return await Promise.race([command(), late.promise]);
    } catch (error) {
      this.#cooldownUntil = clock.monotonic() + COOLDOWN_MS;
      onUnavailable?.(error);
      return null;
    } finally {
      timer.cancel();
    }
  }
}

/** Hash-tagged by org as the counters are, so that a cluster keeps an org together. */
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
