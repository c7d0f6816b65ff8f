import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Claim, Counters, Held, Level, Settlement, Taken } from '../ports.ts';
import { PEEK, RENEW, SETTLE, TAKE } from './redis-scripts.ts';

/** A reservation that nobody settled is let go then; what it was worth, the journal of its process charges. */
const HOLD_MS = 6 * 3_600_000;
const RECONNECT_MS = 500;

export interface RedisCountersOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** Milliseconds added to the server's time; for tests of what time does. */
  readonly offsetMs?: () => number;
  /** Told of connections that fail or break; they are made again by themselves. */
  readonly onError?: (error: Error) => void;
}

/** Counters that lie with the store, and may fail or hang with it (`resilient.ts` keeps callers from that). */
export interface RemoteCounters extends Counters {
  /** Resolves when the store answers. */
  ping(): Promise<void>;
}

/**
 * Counters in Redis or Valkey: one Lua call per step, on the server's time, exact across processes. Keys are
 * hash-tagged by org, so that a cluster keeps an org's buckets together.
 */
export async function openRedisCounters(options: RedisCountersOptions): Promise<RemoteCounters> {
  const { Redis } = await import('ioredis');
  const client = new Redis(options.url, {
    // A command that was lost is judged by its caller; sent again it could count twice.
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: () => RECONNECT_MS,
    disableClientInfo: true,
  });
  client.on('error', (error: Error) => options.onError?.(error));
  // Known before the first take: one that finds its script missing takes two round trips of its time.
  const load = () => Promise.all(Object.values(SCRIPTS).map(({ text }) => client.script('LOAD', text)));
  client.on('ready', () => void load().catch(() => undefined));
  // Nothing is lost when it is not there yet: the first takes are counted by this process alone.
  await new Promise<void>((resolve) => {
    client.once('ready', resolve).once('error', () => resolve());
  });
  return new RedisCounters(client, options.offsetMs ?? (() => 0));
}

class Script {
  readonly text: string;
  readonly sha: string;

  constructor(text: string) {
    this.text = text;
    this.sha = createHash('sha1').update(text).digest('hex');
  }
}

const SCRIPTS = {
  take: new Script(TAKE),
  settle: new Script(SETTLE),
  peek: new Script(PEEK),
  renew: new Script(RENEW),
};

const KINDS = { window: 'w', lease: 'l', spend: 's' } as const;

class RedisCounters implements RemoteCounters {
  readonly #client: Redis;
  readonly #offsetMs: () => number;

  constructor(client: Redis, offsetMs: () => number) {
    this.#client = client;
    this.#offsetMs = offsetMs;
  }

  async take(orgId: string, id: string, claims: readonly Claim[]): Promise<Taken> {
    const args: (string | number)[] = [this.#offsetMs(), id, HOLD_MS];
    for (const { kind, amount, limit, enforced, lasting, floor, endsAt, lastsMs } of claims)
      args.push(KINDS[kind], amount, limit, (enforced ? 1 : 0) + (lasting ? 2 : 0), floor, endsAt, lastsMs);
    const [refusedBy = 0, wait = -1, second = 0, ...levels] = await this.#run(
      SCRIPTS.take,
      claims.map(({ bucket }) => keyOf(orgId, bucket)),
      args,
    );
    const refused = refusedBy === 0 ? null : refusedBy - 1;
    const rateRefused = refused !== null && claims[refused]?.kind !== 'spend';
    return {
      refused,
      retryAfterMs: wait < 0 ? null : wait,
      second,
      levels: inPairs(levels),
      amounts: claims.map(({ amount, lasting }) =>
        refused === null || (!rateRefused && lasting) ? amount : 0,
      ),
      away: false,
      ownSecond: 0,
    };
  }

  async settle(orgId: string, { id, claims, amounts, actual }: Settlement): Promise<void> {
    const args: (string | number)[] = [this.#offsetMs(), id];
    for (const [index, { kind, endsAt }] of claims.entries())
      args.push(KINDS[kind], amounts[index] ?? 0, actual[index] ?? 0, endsAt);
    await this.#run(
      SCRIPTS.settle,
      claims.map(({ bucket }) => keyOf(orgId, bucket)),
      args,
    );
  }

  async peek(orgId: string, claims: readonly Claim[]): Promise<readonly Level[]> {
    if (claims.length === 0) return [];
    const args: (string | number)[] = [this.#offsetMs()];
    for (const { kind, floor } of claims) args.push(KINDS[kind], floor);
    const keys = claims.map(({ bucket }) => keyOf(orgId, bucket));
    return inPairs(await this.#run(SCRIPTS.peek, keys, args));
  }

  async renew(orgId: string, held: readonly Held[]): Promise<void> {
    if (held.length === 0) return;
    const keys = held.map(({ bucket }) => keyOf(orgId, bucket));
    const args = held.flatMap(({ id, lastsMs }) => [id, lastsMs]);
    await this.#run(SCRIPTS.renew, keys, [this.#offsetMs(), ...args]);
  }

  async ping(): Promise<void> {
    await this.#client.ping();
  }

  async close(): Promise<void> {
    this.#client.disconnect();
  }

  async #run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<readonly number[]> {
    const rest = [keys.length, ...keys, ...args];
    try {
      return numbers(await this.#client.call('EVALSHA', script.sha, ...rest));
    } catch (error) {
      // A server that restarted or was flushed does not know it any more.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return numbers(await this.#client.call('EVAL', script.text, ...rest));
    }
  }
}

function keyOf(orgId: string, bucket: string): string {
  return `floe:{${orgId}}:${bucket}`;
}

function numbers(reply: unknown): readonly number[] {
  return Array.isArray(reply) ? reply.map(Number) : [];
}

function inPairs(flat: readonly number[]): Level[] {
  const levels: Level[] = [];
  for (let at = 0; at < flat.length; at += 2)
    levels.push({ used: flat[at] ?? 0, resetMs: flat[at + 1] ?? 0 });
  return levels;
}
