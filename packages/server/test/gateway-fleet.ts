// Several real processes on one PostgreSQL and one Redis.
import type { TestContext } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { loadProjectRecording } from '@floe/testkit/recordings';
import { startDedicatedRedis, type TestRedis } from '@floe/testkit/redis';
import { Redis as Client } from 'ioredis';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';
import { buildGuardedConfig, createGatewayCalls } from './guarded-gateway.ts';

/** Lean, for whoever runs all tests; whole where they have the time. */
export const IS_FULL_FLEET_RUN = process.env['FLOE_TEST_FULL'] !== undefined;
export const FLEET_PROCESSES = IS_FULL_FLEET_RUN ? 4 : 2;
export const FLEET_CLIENTS = 64;
/** Of the recorded answer: 17 in and 31 out. */
export const ANSWER_TOKENS = 48;

export interface GatewayFleet {
  readonly members: readonly ReturnType<typeof createGatewayCalls>[];
  readonly floes: readonly FloeProcess[];
  readonly redis: TestRedis;
  readonly upstream: FakeUpstream;
  readonly database: string;
}

export interface GatewayFleetOptions {
  readonly count?: number;
  /** Members of the file outside of the org. */
  readonly file?: JsonObject;
  readonly upstream?: FakeUpstreamOptions;
  readonly env?: Readonly<Record<string, string>>;
}

/** What is counted must be exact; on a machine that others use, 50 ms are not enough to prove it. */
export const LONG_STORE_TIMEOUT = { storage: { shared_timeout_ms: 10_000 } };

/** Processes on one PostgreSQL and one Redis, in front of one upstream. */
export async function startGatewayFleet(
  t: TestContext,
  org: JsonObject,
  options: GatewayFleetOptions = {},
): Promise<GatewayFleet> {
  const { count = FLEET_PROCESSES, file = LONG_STORE_TIMEOUT } = options;
  const upstream = await startFakeUpstream(
    options.upstream ?? {
      recordings: [loadProjectRecording('openai', 'text'), loadProjectRecording('openai', 'text-stream')],
    },
  );
  t.after(() => upstream.close());
  const redis = await startDedicatedRedis();
  t.after(() => redis.stop());
  const database = await createTestDatabase(t);
  const yaml = JSON.stringify({ ...buildGuardedConfig(upstream.url, org), ...file });
  const env = {
    FLOE_DATABASE_URL: database,
    FLOE_REDIS_URL: redis.url,
    FLOE_SECRET_KEY: 'a'.repeat(64),
    ...options.env,
  };
  const floes = await Promise.all(Array.from({ length: count }, () => startFloeProcess({ yaml, env })));
  t.after(() => Promise.all(floes.map((floe) => floe.stop())));
  return { members: floes.map(({ url }) => createGatewayCalls(url)), floes, redis, upstream, database };
}

/** Sends `count` requests from 64 clients over all processes; how often each status came. */
export async function sendConcurrently(
  { members }: GatewayFleet,
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
  await Promise.all(Array.from({ length: FLEET_CLIENTS }, (_, number) => client(number)));
  return statuses;
}

export async function getFirstStatus(
  { members }: GatewayFleet,
  member: 'limits' | 'budgets',
): Promise<JsonObject> {
  const body = (await members[0]?.callApi('/gateway/v1/key'))?.json();
  const all = isJsonObject(body) ? body[member] : undefined;
  const [first] = Array.isArray(all) ? all : [];
  return isJsonObject(first) ? first : {};
}

/** Empties the shared store, as an operator or a failover would. */
export async function flushRedis({ url }: TestRedis): Promise<void> {
  const client = new Client(url);
  await client.flushall();
  client.disconnect();
}
