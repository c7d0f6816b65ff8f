import type { Redis } from 'ioredis';
import type { Clock } from '../../core/clock.ts';
import type { AnswerCache, KeptAnswer } from './answer-cache.ts';

/** A provider is asked instead when Redis takes longer; and for so long Redis is left alone then. */
const BUDGET_MS = 50;
const REST_MS = 1_000;
const RECONNECT_MS = 500;
const HEAD_LENGTH_BYTES = 4;

export interface RedisAnswerCacheOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  readonly clock: Clock;
  /** Whether Redis just let somebody else wait in vain: a request waits for it once. */
  readonly isLate?: () => boolean;
  /** Told once for each time it goes away. */
  readonly onAway?: (error: unknown) => void;
}

/** Opens the answers all processes share. Does not wait for Redis: it is absent until it is there. */
export async function openRedisAnswerCache(options: RedisAnswerCacheOptions): Promise<AnswerCache> {
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
  return new RedisAnswerCache(client, options);
}

class RedisAnswerCache implements AnswerCache {
  readonly #client: Redis;
  readonly #options: RedisAnswerCacheOptions;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(client: Redis, options: RedisAnswerCacheOptions) {
    this.#client = client;
    this.#options = options;
  }

  async get(orgId: string, key: string): Promise<KeptAnswer | null> {
    const found = await this.#within(() => this.#client.getBuffer(nameOf(orgId, key)));
    return found ? unpack(found) : null;
  }

  async put(orgId: string, key: string, answer: KeptAnswer, ttlMs: number): Promise<void> {
    await this.#within(() => this.#client.set(nameOf(orgId, key), pack(answer), 'PX', ttlMs));
  }

  /** Redis has no index of an org's answers, and a walk over its keys would cost everybody. */
  sizeOf(): null {
    return null;
  }

  async close(): Promise<void> {
    this.#client.disconnect();
  }

  /** The command's outcome; null when Redis is away, too slow, or rests from the last time it was. */
  async #within<T>(command: () => Promise<T>): Promise<T | null> {
    const { clock, onAway, isLate } = this.#options;
    if (clock.monotonic() < this.#restsUntil || isLate?.()) return null;
    const late = Promise.withResolvers<never>();
    const timer = clock.after(BUDGET_MS, () => late.reject(new Error(`no answer within ${BUDGET_MS} ms`)));
    try {
      return await Promise.race([command(), late.promise]);
    } catch (error) {
      this.#restsUntil = clock.monotonic() + REST_MS;
      onAway?.(error);
      return null;
    } finally {
      timer.cancel();
    }
  }
}

/** Hash-tagged by org as the counters are, so that a cluster keeps an org together. */
function nameOf(orgId: string, key: string): string {
  return `floe:{${orgId}}:answer:${key}`;
}

function pack({ head, body }: KeptAnswer): Buffer {
  const text = Buffer.from(head);
  const length = Buffer.alloc(HEAD_LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, body]);
}

function unpack(packed: Buffer): KeptAnswer | null {
  if (packed.length < HEAD_LENGTH_BYTES) return null;
  const from = HEAD_LENGTH_BYTES + packed.readUInt32BE();
  return from > packed.length
    ? null
    : { head: packed.toString('utf8', HEAD_LENGTH_BYTES, from), body: packed.subarray(from) };
}
