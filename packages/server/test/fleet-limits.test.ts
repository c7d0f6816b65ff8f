import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { type Floe, startFloe } from '@floe/testkit/process';
import { ownRecording } from '@floe/testkit/recordings';
import { type Redis, startRedis } from '@floe/testkit/redis';
import { startUpstream, type Upstream } from '@floe/testkit/upstream';
import { administer, testDatabase } from '../src/store/test/postgres-database.ts';
import { eventually } from './eventually.ts';
import { callsTo, guardedConfig } from './guarded-gateway.ts';

const FULL = process.env['FLOE_TEST_FULL'] !== undefined;
const PROCESSES = FULL ? 4 : 2;
/** Thirty times what a dollar pays for, or a hundred times. */
const AT_ONCE = FULL ? 1000 : 300;
const CLIENTS = 64;
/** Of the recorded answer: 17 in and 31 out. */
const ANSWER_TOKENS = 48;

interface Fleet {
  readonly members: readonly ReturnType<typeof callsTo>[];
  readonly floes: readonly Floe[];
  readonly redis: Redis;
  readonly upstream: Upstream;
  readonly database: string;
}

interface FleetOptions {
  readonly count?: number;
  /** Members of the file outside of the org. */
  readonly file?: JsonObject;
}

/** What is counted must be exact; on a machine that others use, 50 ms are not enough to prove it. */
const PATIENT = { storage: { shared_timeout_ms: 10_000 } };

/** Processes on one PostgreSQL and one Redis, in front of one upstream. */
async function startFleet(t: TestContext, org: JsonObject, options: FleetOptions = {}): Promise<Fleet> {
  const { count = PROCESSES, file = PATIENT } = options;
  const upstream = await startUpstream({ recordings: [ownRecording('openai', 'text')] });
  t.after(() => upstream.close());
  const redis = await startRedis();
  t.after(() => redis.stop());
  const database = await testDatabase(t);
  const yaml = JSON.stringify({ ...guardedConfig(upstream.url, org), ...file });
  const env = {
    FLOE_DATABASE_URL: database,
    FLOE_REDIS_URL: redis.url,
    FLOE_SECRET_KEY: 'a'.repeat(64),
  };
  const floes = await Promise.all(Array.from({ length: count }, () => startFloe({ yaml, env })));
  t.after(() => Promise.all(floes.map((floe) => floe.stop())));
  return { members: floes.map(({ url }) => callsTo(url)), floes, redis, upstream, database };
}

/** Sends `count` requests from 64 clients over all processes; how often each status came. */
async function storm({ members }: Fleet, count: number, body: JsonObject): Promise<Map<number, number>> {
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

async function firstOf({ members }: Fleet, member: 'limits' | 'budgets'): Promise<JsonObject> {
  const body = (await members[0]?.ask('/gateway/v1/key'))?.json();
  const all = isObject(body) ? body[member] : undefined;
  const [first] = Array.isArray(all) ? all : [];
  return isObject(first) ? first : {};
}

test('processes that share their counters admit exactly the limit, and count exactly the tokens that were used', async (t) => {
  const fleet = await startFleet(t, {
    limits: [{ name: 'all', scope: 'org', rpm: 100, tpm: 10_000_000 }],
  });
  const statuses = await storm(fleet, 400, { max_tokens: 100 });
  assert.deepEqual([...statuses].sort(), [
    [200, 100],
    [429, 300],
  ]);
  const standing = await eventually(async () => {
    const limit = await firstOf(fleet, 'limits');
    return limit.tpm_used === 100 * ANSWER_TOKENS ? limit : undefined;
  });
  assert.equal(standing.rpm_used, 100);
  t.diagnostic(`${PROCESSES} processes, ${CLIENTS} clients: 100 of 400 admitted at 100 per minute`);
});

test('a storm of requests on a dollar spend no more than the dollar, and all of it is written down', async (t) => {
  const prices = { model: { input: 0, output: 1000 } };
  const fleet = await startFleet(t, {
    budgets: [{ name: 'dollar', scope: 'org', period: 'total', limit_usd: 1, mode: 'hard' }],
    providers: [
      {
        id: 'priced',
        kind: 'openai-compatible',
        base_url: `${(await pricedUpstream(t)).url}/v1`,
        api_key: 'x',
        models: ['model'],
        prices,
      },
    ],
  });
  const { members, database } = fleet;
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => members[n % members.length]?.chat({ max_tokens: 100 })),
  );
  const paid = answers.filter((answer) => answer?.status === 200).length;
  const others = answers.filter((answer) => answer?.status !== 200 && answer?.status !== 402);
  assert.deepEqual(
    others.map((answer) => answer?.text),
    [],
  );
  const spent = paid * 31 * 1_000_000;
  assert.ok(paid >= 9, `ten reservations of 0.1 fit a dollar: ${paid}`);
  assert.ok(spent <= 1_000_000_000, `${spent} nano-USD`);
  // An answer is whole a moment before its reservation is settled.
  await eventually(async () =>
    (await firstOf(fleet, 'budgets')).spent_nano_usd === spent ? true : undefined,
  );
  await eventually(async () => {
    const [row] = await administer('select sum(spent_nano_usd)::bigint as spent from budget_spend', database);
    return Number(row?.['spent']) === spent ? true : undefined;
  });
  t.diagnostic(`${AT_ONCE} at once on $1: ${paid} paid, ${spent / 1e9} USD spent`);

  await flush(fleet.redis);
  const after = await eventually(async () => {
    const budget = await firstOf(fleet, 'budgets');
    return budget.spent_nano_usd === spent ? budget : undefined;
  });
  assert.equal(after.spent_nano_usd, spent, 'a flushed Redis forgets nothing');
});

async function pricedUpstream(t: TestContext): Promise<Upstream> {
  const upstream = await startUpstream({ recordings: [ownRecording('openai', 'text')] });
  t.after(() => upstream.close());
  return upstream;
}

async function flush({ url }: Redis): Promise<void> {
  const { Redis: Client } = await import('ioredis');
  const client = new Client(url);
  await client.flushall();
  client.disconnect();
}

test('a frozen Redis costs a few requests a moment and none an error; each process counts its share meanwhile', async (t) => {
  const fleet = await startFleet(
    t,
    { limits: [{ name: 'all', scope: 'org', rpm: 40 }] },
    { count: 2, file: {} },
  );
  const { members, redis, floes } = fleet;
  const pid = redis.pid ?? 0;
  assert.equal((await members[0]?.chat())?.status, 200);
  process.kill(pid, 'SIGSTOP');
  const statuses = await storm(fleet, 80, {});
  const admitted = statuses.get(200) ?? 0;
  assert.deepEqual([...statuses.keys()].sort(), [200, 429]);
  assert.ok(admitted >= 20 && admitted <= 40, `a share of 20 for each of two: ${admitted}`);
  process.kill(pid, 'SIGCONT');
  await floes[0]?.printed(/the shared store answers again/);
  await floes[1]?.printed(/the shared store answers again/);
  const used = await Promise.all(
    members.map(async ({ ask }) => {
      const body = (await ask('/gateway/v1/key')).json();
      return isObject(body) && Array.isArray(body.limits) ? body.limits[0] : undefined;
    }),
  );
  assert.deepEqual(used[0], { ...(isObject(used[1]) ? used[1] : {}), rpm_reset_ms: resetOf(used[0]) });
});

function resetOf(limit: Json | undefined): Json | undefined {
  return isObject(limit) ? limit['rpm_reset_ms'] : undefined;
}
