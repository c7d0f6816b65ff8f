// Tier: ci. Waits for real budgets to be counted.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { startFloeProcess } from '@floe/testkit/floe-process';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import { loadProjectRecording } from '@floe/testkit/recordings';
import { startDedicatedRedis } from '@floe/testkit/redis';
import { LONG_STORE_TIMEOUT } from './gateway-fleet.ts';
import {
  buildGuardedConfig,
  createGatewayCalls,
  type GuardedGateway,
  startGuardedGateway,
} from './guarded-gateway.ts';

/** 17 tokens in at $1 and 31 out at $2 per million. */
const ANSWER_NANO_USD = 79_000;
const HARD = { name: 'all', scope: 'org', period: 'month', mode: 'hard' };

function errorOf(answer: HttpCallResponse): JsonObject {
  const body = answer.json();
  return isJsonObject(body) && isJsonObject(body.error) ? body.error : {};
}

async function standingOf({ callApi }: Pick<GuardedGateway, 'callApi'>): Promise<JsonObject> {
  const body = (await callApi('/gateway/v1/key')).json();
  const budgets = isJsonObject(body) && Array.isArray(body.budgets) ? body.budgets : [];
  return isJsonObject(budgets[0]) ? budgets[0] : assert.fail('no budget');
}

const spentOf = async (gateway: Pick<GuardedGateway, 'callApi'>) =>
  (await standingOf(gateway)).spent_nano_usd;

test('a hard budget reserves the maximum cost, counts the actual cost, and rejects with 402 what it cannot cover', async (t) => {
  const { chat, callApi, upstream } = await startGuardedGateway(t, {
    org: { budgets: [{ ...HARD, limit_usd: 0.001 }], timezone: 'Europe/Berlin' },
  });
  assert.equal((await chat({ max_tokens: 400 })).status, 200);
  assert.equal(await spentOf({ callApi }), ANSWER_NANO_USD);
  const refused = await chat({ max_tokens: 500 });
  assert.equal(refused.status, 402, 'at $2 per million, 500 tokens are a dollar per thousand');
  assert.equal(errorOf(refused).code, 'budget_exceeded');
  assert.equal(errorOf(refused).type, 'insufficient_quota');
  assert.match(
    String(errorOf(refused).message),
    /^The \$0\.001 budget "all" cannot cover this request: the request could cost up to \$0\.001\d+, but only \$0\.000921 is left\. The budget resets at \d{4}-\d\d-\d\dT/,
  );
  assert.equal(refused.headers['x-should-retry'], 'false');
  assert.equal(await spentOf({ callApi }), ANSWER_NANO_USD, 'a refusal costs nothing');
  await upstream.setFaults(findInjectedFault('unavailable'));
  assert.notEqual((await chat({ max_tokens: 300 })).status, 200);
  await upstream.setFaults();
  assert.equal(await spentOf({ callApi }), ANSWER_NANO_USD, 'nor does what no provider answered');
  const row = await eventually(async () => {
    const list = (await callApi('/api/analytics/requests?state=complete')).json();
    const [first] = isJsonObject(list) && Array.isArray(list.data) ? list.data : [];
    return isJsonObject(first) ? first : undefined;
  });
  assert.equal(row.cost_nano_usd, ANSWER_NANO_USD);
});

test('a model without a price is rejected under a hard budget, and a free provider needs none', async (t) => {
  const { chat } = await startGuardedGateway(t, {
    org: { budgets: [{ ...HARD, limit_usd: 0.000_001 }] },
  });
  const unknown = await chat({ model: 'fake/model' });
  assert.equal(unknown.status, 403);
  assert.equal(errorOf(unknown).code, 'price_unknown');
  assert.match(String(errorOf(unknown).message), /provider "fake".*prices: \{ "model": \{ input:/);
  assert.equal((await chat()).status, 402, 'a priced one is over the budget');
  assert.equal((await chat({ model: 'sandbox/echo' })).status, 200);
});

test('spending survives a restart, and the reservations of a killed process are charged in full', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-budget-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const upstream = await startFakeUpstream({ recordings: [loadProjectRecording('openai', 'text')] });
  t.after(() => upstream.close());
  const yaml = JSON.stringify(buildGuardedConfig(upstream.url, { budgets: [{ ...HARD, limit_usd: 0.01 }] }));

  const first = await startFloeProcess({ yaml, dataDir });
  assert.equal((await createGatewayCalls(first.url).chat({ max_tokens: 100 })).status, 200);
  await first.stop();

  const second = await startFloeProcess({ yaml, dataDir });
  assert.equal(await spentOf(createGatewayCalls(second.url)), ANSWER_NANO_USD);
  await upstream.setFaults(findInjectedFault('accept-and-silence'));
  const hanging = createGatewayCalls(second.url)
    .chat({ max_tokens: 1000 })
    .catch(() => undefined);
  await upstream.waitForRequests(2);
  const { spent_nano_usd: spent, reserved_nano_usd: reserved } = await standingOf(
    createGatewayCalls(second.url),
  );
  const held = Number(reserved);
  assert.equal(spent, ANSWER_NANO_USD, 'what is reserved is not spent');
  assert.ok(held >= 2_000_000 && held < 2_100_000, `1,000 tokens out and the input: ${held}`);
  await second.kill();
  await hanging;

  const third = await startFloeProcess({ yaml, dataDir });
  t.after(() => third.stop());
  assert.equal(await spentOf(createGatewayCalls(third.url)), ANSWER_NANO_USD + held);
});

test('money reserved by requests in progress is shown as reserved, also in a simulation', async (t) => {
  const { chat, callApi, upstream } = await startGuardedGateway(t, {
    org: { budgets: [{ ...HARD, limit_usd: 0.001 }] },
  });
  await upstream.setFaults(findInjectedFault('accept-and-silence'));
  const left = new AbortController();
  const hanging = chat({ max_tokens: 400 }, undefined, left.signal).catch(() => undefined);
  await upstream.waitForRequests(1);
  const state = async () => {
    const body = (await callApi('/api/management/budgets')).json();
    const [budget] = isJsonObject(body) && Array.isArray(body.data) ? body.data : [];
    return isJsonObject(budget) && isJsonObject(budget.state) ? budget.state : assert.fail('no state');
  };
  const { reserved_nano_usd: reserved, ...standing } = await state();
  assert.ok(Number(reserved) > 800_000, 'four hundred tokens out at $2 per million, and the input');
  assert.deepEqual([standing.spent_nano_usd, standing.remaining_nano_usd], [0, 1_000_000 - Number(reserved)]);
  const simulated = (max_tokens: number) =>
    callApi('/api/management/routes/simulate', {
      body: {
        request: { model: 'priced/model', messages: [{ role: 'user', content: 'Hi' }], max_tokens },
      },
    });
  assert.match((await simulated(300)).text, /"budget_reserved"/);
  assert.match((await simulated(600)).text, /"budget_exceeded"/);
  left.abort();
  await hanging;
  const after = await eventually(async () => {
    const now = await state();
    return now.reserved_nano_usd === 0 ? now : undefined;
  });
  assert.equal(typeof after.spent_nano_usd, 'number');
});

test('a budget whose period changes counts the spending of its new period', (t) => changePeriods(t, {}));

test('a budget in Redis whose period changes counts the spending of its new period', async (t) => {
  const redis = await startDedicatedRedis();
  t.after(() => redis.stop());
  await changePeriods(t, { FLOE_REDIS_URL: redis.url });
});

/** Returns a time zone in which it is between 12:00 and 13:00, so that no day ends during a test. */
function getTimeZoneWithNoon(now: Date): string {
  // In the names of these zones, zones east of UTC have a minus sign.
  const hoursWest = now.getUTCHours() - 12;
  return `Etc/GMT${hoursWest < 0 ? '-' : '+'}${Math.abs(hoursWest)}`;
}

async function changePeriods(t: TestContext, env: Readonly<Record<string, string>>): Promise<void> {
  const org = { timezone: getTimeZoneWithNoon(new Date()) };
  const gateway = await startGuardedGateway(t, { org, env, file: LONG_STORE_TIMEOUT });
  const path = '/api/management/budgets/all';
  const put = async (period: string, limit_usd = 1) => {
    const body = { ...HARD, period, limit_usd, reason: 'A trial' };
    assert.equal((await gateway.callApi(path, { method: 'PUT', body })).status, 200);
  };
  const spent = (nanoUsd: number) =>
    eventually(async () => {
      const now = await spentOf(gateway);
      return now === nanoUsd ? now : undefined;
    });
  let answers = 0;
  for (const period of ['day', 'month', 'day', 'total', 'week', 'total', 'day']) {
    await put(period);
    await spent(answers * ANSWER_NANO_USD);
    assert.equal((await gateway.chat({ max_tokens: 100 })).status, 200);
    answers += 1;
    await spent(answers * ANSWER_NANO_USD);
  }
  await put('month', (answers * ANSWER_NANO_USD) / 1e9);
  await spent(answers * ANSWER_NANO_USD);
  assert.equal((await gateway.chat({ max_tokens: 1 })).status, 402, 'the month has no money left');
}
