// Several real processes on one PostgreSQL and one Redis.
import type { TestContext } from 'node:test';
import { isObject, type JsonObject } from '@floe/contract/json';
import { type Floe, startFloe } from '@floe/testkit/process';
import { ownRecording } from '@floe/testkit/recordings';
import { type Redis, startRedis } from '@floe/testkit/redis';
import { startUpstream, type Upstream, type UpstreamOptions } from '@floe/testkit/upstream';
import { Redis as Client } from 'ioredis';
import { testDatabase } from '../src/store/test/postgres-database.ts';
import { callsTo, guardedConfig } from './guarded-gateway.ts';

/** Lean, for whoever runs all tests; whole where they have the time. */
export const FULL = process.env['FLOE_TEST_FULL'] !== undefined;
export const PROCESSES = FULL ? 4 : 2;
export const CLIENTS = 64;
/** Of the recorded answer: 17 in and 31 out. */
export const ANSWER_TOKENS = 48;

export interface Fleet {
  readonly members: readonly ReturnType<typeof callsTo>[];
  readonly floes: readonly Floe[];
  readonly redis: Redis;
  readonly upstream: Upstream;
  readonly database: string;
}

export interface FleetOptions {
  readonly count?: number;
  /** Members of the file outside of the org. */
  readonly file?: JsonObject;
  readonly upstream?: UpstreamOptions;
  readonly env?: Readonly<Record<string, string>>;
}

/** What is counted must be exact; on a machine that others use, 50 ms are not enough to prove it. */
export const PATIENT = { storage: { shared_timeout_ms: 10_000 } };

/** Processes on one PostgreSQL and one Redis, in front of one upstream. */
export async function startFleet(
  t: TestContext,
  org: JsonObject,
  options: FleetOptions = {},
): Promise<Fleet> {
  const { count = PROCESSES, file = PATIENT } = options;
  const upstream = await startUpstream(
    options.upstream ?? {
      recordings: [ownRecording('openai', 'text'), ownRecording('openai', 'text-stream')],
    },
  );
  t.after(() => upstream.close());
  const redis = await startRedis();
  t.after(() => redis.stop());
  const database = await testDatabase(t);
  const yaml = JSON.stringify({ ...guardedConfig(upstream.url, org), ...file });
  const env = {
    FLOE_DATABASE_URL: database,
    FLOE_REDIS_URL: redis.url,
    FLOE_SECRET_KEY: 'a'.repeat(64),
    ...options.env,
  };
  const floes = await Promise.all(Array.from({ length: count }, () => startFloe({ yaml, env })));
  t.after(() => Promise.all(floes.map((floe) => floe.stop())));
  return { members: floes.map(({ url }) => callsTo(url)), floes, redis, upstream, database };
}

/** Sends `count` requests from 64 clients over all processes; how often each status came. */
export async function storm(
  { members }: Fleet,
  count: number,
  body: JsonObject,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let sent = 0;
  async function client(number: number): Promise<void> {
    while (sent < count) {
      sent += 1;
      const answer = await members[number % members.length]?.chat(body);
      const status = answer?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return statuses;
}

export async function firstOf({ members }: Fleet, member: 'limits' | 'budgets'): Promise<JsonObject> {
  const body = (await members[0]?.ask('/gateway/v1/key'))?.json();
  const all = isObject(body) ? body[member] : undefined;
  const [first] = Array.isArray(all) ? all : [];
  return isObject(first) ? first : {};
}

/** Empties the shared store, as an operator or a failover would. */
export async function flush({ url }: Redis): Promise<void> {
  const client = new Client(url);
  await client.flushall();
  client.disconnect();
}
