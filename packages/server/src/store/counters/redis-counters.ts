import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../../core/clock.ts';
import { openRedisClient } from '../redis-client.ts';
import type {
  AcquireResult,
  BucketClaim,
  BucketLevel,
  BucketUsage,
  LimitCounters,
  ReservationIncrease,
  ReservationIncreaseResult,
  ReservationSettlement,
} from '../store-interfaces.ts';
import { toCounterError } from './counter-rejection.ts';
import {
  type BucketWithLocalSlots,
  findMiscountedBuckets,
  type LocalConcurrencySlots,
  listBucketsWithLocalSlots,
  MAX_RECOUNTS,
} from './local-slots.ts';
import { COUNTER_EXTEND_SCRIPT } from './redis-extend-script.ts';
import {
  COUNTER_ACQUIRE_SCRIPT,
  COUNTER_PEEK_SCRIPT,
  COUNTER_RECOUNT_SCRIPT,
  COUNTER_RENEW_SCRIPT,
  COUNTER_SETTLE_SCRIPT,
} from './redis-scripts.ts';

/** An unsettled reservation is removed after this time. The spend journal of its process charges it. */
const RESERVATION_TTL_MS = 6 * 3_600_000;
/** How long the start of a process waits for a connection that accepts commands. */
const START_TIMEOUT_MS = 2_000;

export interface RedisCountersOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Milliseconds added to the server's time, for tests. */
  readonly offsetMs?: () => number;
  /** Called with the first error after each successful connection. The client reconnects automatically. */
  readonly onError?: (error: Error) => void;
}

/** The concurrency slots of the process that calls `acquire`, and whether the caller is still waiting. */
export interface CounterAcquireContext {
  readonly slots: LocalConcurrencySlots;
  /** Returns false if the caller has stopped waiting. */
  isWaiting(): boolean;
}

/**
 * Counters in a shared store. A call can fail or never return. `resilient-counters.ts` handles both cases. If the data
 * in a counter causes a failure, the call rejects with a `CounterRejection`.
 */
export interface SharedStoreCounters extends LimitCounters {
  /**
   * Acquires as `LimitCounters.acquire` does. If the store lacks slots of `taker`, it counts them before it grants
   * anything. This happens only while the caller waits, because an abandoned `acquire` must not be sent again.
   */
  acquire(
    orgId: string,
    id: string,
    claims: readonly BucketClaim[],
    taker?: CounterAcquireContext,
  ): Promise<AcquireResult>;
  /**
   * Renews the lease of this process on its slots. Counts them again if the store has fewer, or more than
   * `inFlight` unanswered `acquire` calls explain.
   */
  renew(orgId: string, held: readonly BucketWithLocalSlots[], inFlight: number): Promise<void>;
  /** Resolves when the store accepts a write. */
  ping(): Promise<void>;
}

/**
 * Opens counters in Redis or Valkey. Each operation is one Lua call that uses the server's time, so counts are exact
 * across processes. All keys of an organization share a hash tag, so that a cluster stores them on one node.
 */
export async function openRedisCounters(options: RedisCountersOptions): Promise<SharedStoreCounters> {
  const client = await openRedisClient(options.url);
  let isErrorReported = false;
  client.on('error', (error: Error) => {
    if (!isErrorReported) options.onError?.(error);
    isErrorReported = true;
  });
  // Loaded first, because a missing script would need two round trips.
  const load = () => Promise.all(Object.values(SCRIPTS).map(({ text }) => client.script('LOAD', text)));
  client.on('ready', () => {
    isErrorReported = false;
    void load().catch(() => undefined);
  });
  // An unavailable Redis is not an error here: until Redis is available, this process counts locally.
  const connected = Promise.withResolvers<void>();
  client.once('ready', connected.resolve).once('error', () => connected.resolve());
  const timer = options.clock.after(START_TIMEOUT_MS, connected.resolve);
  await connected.promise.finally(() => timer.cancel());
  return new RedisCounters(client, options.clock, options.offsetMs ?? (() => 0));
}

class RedisScript {
  readonly text: string;
  readonly sha: string;

  constructor(text: string) {
    this.text = text;
    this.sha = createHash('sha1').update(text).digest('hex');
  }
}

const SCRIPTS = {
  acquire: new RedisScript(COUNTER_ACQUIRE_SCRIPT),
  settle: new RedisScript(COUNTER_SETTLE_SCRIPT),
  extend: new RedisScript(COUNTER_EXTEND_SCRIPT),
  peek: new RedisScript(COUNTER_PEEK_SCRIPT),
  renew: new RedisScript(COUNTER_RENEW_SCRIPT),
  recount: new RedisScript(COUNTER_RECOUNT_SCRIPT),
};

const KIND_CODES = { window: 'w', lease: 'l', spend: 's' } as const;

class RedisCounters implements SharedStoreCounters {
  readonly #client: Redis;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #offsetMs: () => number;
  /** Id of this process in the leases of its slots. */
  readonly #process = randomBytes(6).toString('base64url');

  constructor(client: Redis, clock: Pick<Clock, 'monotonic'>, offsetMs: () => number) {
    this.#client = client;
    this.#clock = clock;
    this.#offsetMs = offsetMs;
  }

  async acquire(
    orgId: string,
    id: string,
    claims: readonly BucketClaim[],
    taker?: CounterAcquireContext,
  ): Promise<AcquireResult> {
    const slots = taker?.slots;
    let reply = await this.#acquire(orgId, id, claims, slots);
    for (let times = 0; reply[0] === -1 && times < MAX_RECOUNTS && taker?.isWaiting() !== false; times++) {
      // One round trip: the connection runs the commands in this order.
      const again = [
        ...listBucketsWithLocalSlots(orgId, claims, slots).map((held) => this.#recount(orgId, held)),
        this.#acquire(orgId, id, claims, slots),
      ];
      reply = (await Promise.all(again)).at(-1) ?? [];
    }
    const [refusedBy = 0, wait = -1, second = 0, ...levels] = reply;
    if (refusedBy === -1) throw new Error('the shared store lost the concurrency slots of this process');
    const refused = refusedBy === 0 ? null : refusedBy - 1;
    const rateRefused = refused !== null && claims[refused]?.kind !== 'spend';
    return {
      refusedIndex: refused,
      retryAfterMs: wait < 0 ? null : wait,
      second,
      levels: toLevels(levels),
      amounts: claims.map(({ amount, persistent }) =>
        refused === null || (!rateRefused && persistent) ? amount : 0,
      ),
      countedLocally: false,
      localSecond: 0,
    };
  }

  async settle(orgId: string, { id, claims, amounts, actual }: ReservationSettlement): Promise<void> {
    const args: (string | number)[] = [this.#offsetMs(), id, this.#process];
    for (const [index, { kind, endsAt }] of claims.entries())
      args.push(KIND_CODES[kind], amounts[index] ?? 0, actual[index] ?? 0, endsAt);
    await this.#run(
      SCRIPTS.settle,
      claims.map((claim) => bucketKey(orgId, claim)),
      args,
    );
  }

  async extend(
    orgId: string,
    { id, claims, reserved, amount }: ReservationIncrease,
  ): Promise<ReservationIncreaseResult> {
    const args: (string | number)[] = [this.#offsetMs(), id, RESERVATION_TTL_MS, reserved, amount];
    for (const { enforced, limit, minimumUsed, endsAt } of claims)
      args.push(enforced ? limit : -1, minimumUsed, endsAt);
    const keys = claims.map((claim) => bucketKey(orgId, claim));
    const [granted = 0, short = 0] = await this.#run(SCRIPTS.extend, keys, args);
    return { granted, limitingIndex: short === 0 ? null : short - 1, countedLocally: false };
  }

  async peek(orgId: string, claims: readonly BucketClaim[]): Promise<readonly BucketUsage[]> {
    if (claims.length === 0) return [];
    const args: (string | number)[] = [this.#offsetMs()];
    for (const { kind, minimumUsed } of claims) args.push(KIND_CODES[kind], minimumUsed);
    const keys = claims.map((claim) => bucketKey(orgId, claim));
    const flat = await this.#run(SCRIPTS.peek, keys, args);
    return claims.map((_, index) => {
      const [used = 0, resetMs = 0, held = 0] = flat.slice(index * 3, index * 3 + 3);
      return { used, resetMs, reserved: held };
    });
  }

  recordStoredSpend(): void {
    // The keys expire.
  }

  async renew(orgId: string, held: readonly BucketWithLocalSlots[], inFlight: number): Promise<void> {
    const keys = held.map(({ bucket }) => bucketKey(orgId, { kind: 'lease', bucket }));
    const times = held.map(({ slots }) => slots.leaseMs);
    const sizes = held.map(({ slots }) => slots.size);
    const counts = await this.#run(SCRIPTS.renew, keys, [this.#offsetMs(), this.#process, ...times]);
    const wrong = findMiscountedBuckets(held, counts, { sizes, inFlight });
    await Promise.all(wrong.map((one) => this.#recount(orgId, one)));
  }

  async ping(): Promise<void> {
    // A store that is out of memory or read-only responds to PING, but cannot count.
    await this.#client.set('floe:probe', '', 'PX', 1_000);
  }

  async close(): Promise<void> {
    this.#client.disconnect();
  }

  #acquire(
    orgId: string,
    id: string,
    claims: readonly BucketClaim[],
    own: LocalConcurrencySlots | undefined,
  ): Promise<readonly number[]> {
    const args: (string | number)[] = [this.#offsetMs(), id, RESERVATION_TTL_MS, this.#process];
    for (const { kind, bucket, amount, limit, enforced, persistent, minimumUsed, endsAt, ttlMs } of claims) {
      args.push(KIND_CODES[kind], amount, limit, (enforced ? 1 : 0) + (persistent ? 2 : 0));
      const slots = kind === 'lease' ? own?.getSlots(orgId, bucket) : undefined;
      if (slots) args.push(slots.size, Math.ceil(slots.meanMs), ttlMs);
      else args.push(minimumUsed, endsAt, ttlMs);
    }
    const keys = claims.map((claim) => bucketKey(orgId, claim));
    return this.#run(SCRIPTS.acquire, keys, args);
  }

  #recount(orgId: string, { bucket, slots }: BucketWithLocalSlots): Promise<readonly number[]> {
    // An older slot that is unknown here is not an `acquire` in progress: its settlement was lost.
    const args: (string | number)[] = [this.#offsetMs(), this.#process, slots.leaseMs, slots.leaseMs];
    const nowMs = this.#clock.monotonic();
    slots.forEachSlot((since, id) => void args.push(id, Math.floor(nowMs - since)));
    return this.#run(SCRIPTS.recount, [bucketKey(orgId, { kind: 'lease', bucket })], args);
  }

  async #run(
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<readonly number[]> {
    const rest = [keys.length, ...keys, ...args];
    try {
      return toNumbers(await this.#client.call('EVALSHA', script.sha, ...rest));
    } catch (error) {
      // The server has lost the script after a restart or a flush.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw toCounterError(error);
      const reply = this.#client.call('EVAL', script.text, ...rest);
      return toNumbers(await reply.catch((failure: unknown) => Promise.reject(toCounterError(failure))));
    }
  }
}

function bucketKey(orgId: string, { kind, bucket }: Pick<BucketClaim, 'kind' | 'bucket'>): string {
  return kind === 'lease' ? `floe:{${orgId}}:${bucket}:slots` : `floe:{${orgId}}:${bucket}`;
}

function toNumbers(reply: unknown): readonly number[] {
  return Array.isArray(reply) ? reply.map(Number) : [];
}

function toLevels(flat: readonly number[]): BucketLevel[] {
  const levels: BucketLevel[] = [];
  for (let at = 0; at < flat.length; at += 2)
    levels.push({ used: flat[at] ?? 0, resetMs: flat[at + 1] ?? 0 });
  return levels;
}
