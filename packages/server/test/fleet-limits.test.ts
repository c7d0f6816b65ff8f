// Tier: ci. Two processes under load, on Redis.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isJsonObject, type Json } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { callHttp } from '@floe/testkit/http-client';
import { loadProjectRecording } from '@floe/testkit/recordings';
import { startDedicatedRedis } from '@floe/testkit/redis';
import { runAsAdministrator } from '../src/store/test/postgres-database.ts';
import { startTcpProxy } from '../src/store/test/tcp-proxy.ts';
import { PRICED_ANSWER } from './dependency-fleet.ts';
import {
  ANSWER_TOKENS,
  FLEET_CLIENTS,
  FLEET_PROCESSES,
  flushRedis,
  type GatewayFleet,
  getFirstStatus,
  IS_FULL_FLEET_RUN,
  sendConcurrently,
  startGatewayFleet,
} from './gateway-fleet.ts';

/** Thirty times what a dollar pays for, or a hundred times. */
const AT_ONCE = IS_FULL_FLEET_RUN ? 1000 : 300;

test('processes that share their counters admit exactly the limit, and count exactly the tokens that were used', async (t) => {
  const fleet = await startGatewayFleet(t, {
    limits: [{ name: 'all', scope: 'org', rpm: 100, tpm: 10_000_000 }],
  });
  const statuses = await sendConcurrently(fleet, 400, { max_tokens: 100 });
  assert.deepEqual([...statuses].sort(), [
    [200, 100],
    [429, 300],
  ]);
  const standing = await eventually(async () => {
    const limit = await getFirstStatus(fleet, 'limits');
    return limit.tpm_used === 100 * ANSWER_TOKENS ? limit : undefined;
  });
  assert.equal(standing.rpm_used, 100);
  t.diagnostic(
    `${FLEET_PROCESSES} processes, ${FLEET_CLIENTS} clients: 100 of 400 admitted at 100 per minute`,
  );
});

test('with the default timeout, processes admit the limit while Redis responds in time, and otherwise at most their shares more', async (t) => {
  const limit = 100;
  const share = Math.floor(limit / FLEET_PROCESSES);
  const redis = await startDedicatedRedis();
  const way = await startTcpProxy(redis.url);
  t.after(() => way.close().then(redis.stop));
  const limits = ['priced', 'fake'].map((name) => ({ name, scope: 'org', rpm: limit, model: `${name}/*` }));
  const fleet = await startGatewayFleet(t, { limits }, { file: {}, env: { FLOE_REDIS_URL: way.url } });
  let before = { unheard: 0, alone: 0 };
  for (const [name, model, slow] of [
    ['a Redis that answers', 'priced/model', () => 0],
    ['a Redis that is now and then too slow', 'fake/model', () => (Math.random() < 0.3 ? 80 : 0)],
  ] as const) {
    const shaking = setInterval(() => way.delay(slow()), 20);
    const statuses = await sendConcurrently(fleet, 400, { model });
    clearInterval(shaking);
    way.restore();
    assert.deepEqual([...statuses.keys()].sort(), [200, 429], name);
    const admitted = statuses.get(200) ?? 0;
    const now = await countedAlone(fleet);
    const [unheard, alone] = [now.unheard - before.unheard, now.alone - before.alone];
    before = now;
    assert.ok(admitted <= limit + alone, `${admitted} admitted, ${alone} of them by a process alone`);
    assert.ok(admitted <= limit + share * FLEET_PROCESSES, 'at most a share of each process more');
    if (unheard + alone === 0) assert.equal(admitted, limit, 'exact while it answers');
    t.diagnostic(
      `${name}: ${FLEET_PROCESSES} processes, ${FLEET_CLIENTS} clients, ${admitted} of 400 admitted at ${limit} per minute; ${unheard} calls too late, ${alone} admitted by a process alone`,
    );
  }
});

/** Calls that nobody heard an answer to, and requests that a process admitted by itself. */
async function countedAlone(fleet: GatewayFleet): Promise<{ unheard: number; alone: number }> {
  const [unheard, alone] = await Promise.all([
    sumOf(fleet, /^floe_shared_store_errors_total\S* (\d+)/m),
    sumOf(fleet, /^floe_shared_store_local_fallback_total\{result="granted"\} (\d+)/m),
  ]);
  return { unheard, alone };
}

async function sumOf({ floes }: GatewayFleet, figure: RegExp): Promise<number> {
  const texts = await Promise.all(floes.map(({ url }) => callHttp(`${url}/metrics`)));
  return texts.reduce((sum, { text }) => sum + Number(figure.exec(text)?.[1]), 0);
}

test('a burst of requests on a one-dollar budget spends at most one dollar, and all of it is recorded', async (t) => {
  const prices = { model: { input: 0, output: 1000 } };
  const fleet = await startGatewayFleet(t, {
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
  const isRefused = (answer: (typeof answers)[number]) =>
    answer?.status === 402 || (answer?.status === 429 && answer.text.includes('budget_reserved'));
  const others = answers.filter((answer) => answer?.status !== 200 && !isRefused(answer));
  assert.deepEqual(
    others.map((answer) => answer?.text),
    [],
  );
  const spent = paid * 31 * 1_000_000;
  assert.ok(paid >= 9, `ten reservations of 0.1 fit a dollar: ${paid}`);
  assert.ok(spent <= 1_000_000_000, `${spent} nano-USD`);
  // An answer is whole a moment before its reservation is settled.
  await eventually(async () =>
    (await getFirstStatus(fleet, 'budgets')).spent_nano_usd === spent ? true : undefined,
  );
  await eventually(async () => {
    const [row] = await runAsAdministrator(
      "select sum(spent_nano_usd)::bigint as spent from budget_spend where bucket like '%:total:%'",
      database,
    );
    return Number(row?.['spent']) === spent ? true : undefined;
  });
  t.diagnostic(`${AT_ONCE} at once on $1: ${paid} paid, ${spent / 1e9} USD spent`);

  await flushRedis(fleet.redis);
  const after = await eventually(async () => {
    const budget = await getFirstStatus(fleet, 'budgets');
    return budget.spent_nano_usd === spent ? budget : undefined;
  });
  assert.equal(after.spent_nano_usd, spent, 'a flushed Redis forgets nothing');
});

async function pricedUpstream(t: TestContext): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream({ recordings: [loadProjectRecording('openai', 'text')] });
  t.after(() => upstream.close());
  return upstream;
}

test('a frozen Redis delays a few requests and causes no error; each process enforces its share meanwhile', async (t) => {
  const fleet = await startGatewayFleet(
    t,
    { limits: [{ name: 'all', scope: 'org', rpm: 40 }] },
    { count: 2, file: {} },
  );
  const { members, redis, floes } = fleet;
  const pid = redis.pid ?? 0;
  assert.equal((await members[0]?.chat())?.status, 200);
  process.kill(pid, 'SIGSTOP');
  const statuses = await sendConcurrently(fleet, 400, {});
  const admitted = statuses.get(200) ?? 0;
  assert.deepEqual([...statuses.keys()].sort(), [200, 429]);
  assert.ok(admitted >= 20 && admitted <= 40, `a share of 20 for each of two: ${admitted}`);
  process.kill(pid, 'SIGCONT');
  await floes[0]?.waitForOutput(/shared store is available again/);
  await floes[1]?.waitForOutput(/shared store is available again/);
  const used = await Promise.all(
    members.map(async ({ callApi }) => {
      const body = (await callApi('/gateway/v1/key')).json();
      return isJsonObject(body) && Array.isArray(body.limits) ? body.limits[0] : undefined;
    }),
  );
  assert.deepEqual(used[0], { ...(isJsonObject(used[1]) ? used[1] : {}), rpm_reset_ms: resetOf(used[0]) });
});

test('the slots of a killed process are free within ten seconds, and each rejection states when to retry', async (t) => {
  const slots = 4;
  const never = new Promise<never>(() => undefined);
  const { members, floes, upstream } = await startGatewayFleet(
    t,
    { limits: [{ name: 'all', scope: 'org', concurrency: slots }] },
    { count: 2, upstream: { respond: (_, index) => (index < slots ? never : PRICED_ANSWER) } },
  );
  for (let n = 0; n < slots; n++) void members[0]?.chat().catch(() => undefined);
  await upstream.waitForRequests(slots);
  assert.equal((await members[1]?.chat())?.status, 429, 'all slots are taken');
  await floes[0]?.kill();
  const waits: number[] = [];
  for (;;) {
    const answer = await members[1]?.chat();
    if (!answer || answer.status === 200) break;
    assert.equal(answer.status, 429, answer.text);
    const waitMs = Number(answer.headers['retry-after-ms']);
    assert.equal(answer.headers['retry-after'], String(Math.ceil(waitMs / 1000)));
    waits.push(waitMs);
    // As a client that does what it is told.
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  const told = waits.reduce((sum, waitMs) => sum + waitMs, 0);
  assert.ok(told <= 10_100, `${told} ms: ${waits.join(', ')}`);
  assert.ok(waits.length <= 12, waits.join(', '));
  t.diagnostic(`free after ${waits.length} refusals that told to wait ${told} ms in all`);
});

function resetOf(limit: Json | undefined): Json | undefined {
  return isJsonObject(limit) ? limit['rpm_reset_ms'] : undefined;
}
