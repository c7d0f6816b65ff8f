import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { CallAnswer } from '@floe/testkit/client';
import { upstreamFault } from '@floe/testkit/fault-table';
import { eventually } from '@floe/testkit/patience';
import { startFloe } from '@floe/testkit/process';
import { ownRecording } from '@floe/testkit/recordings';
import { startUpstream } from '@floe/testkit/upstream';
import { callsTo, type GuardedGateway, guardedConfig, startGuarded } from './guarded-gateway.ts';

/** 17 tokens in at $1 and 31 out at $2 per million. */
const ANSWER_NANO_USD = 79_000;
const HARD = { name: 'all', scope: 'org', period: 'month', mode: 'hard' };

function errorOf(answer: CallAnswer): JsonObject {
  const body = answer.json();
  return isObject(body) && isObject(body.error) ? body.error : {};
}

async function spentOf({ ask }: Pick<GuardedGateway, 'ask'>): Promise<unknown> {
  const body = (await ask('/gateway/v1/key')).json();
  const budgets = isObject(body) && Array.isArray(body.budgets) ? body.budgets : [];
  return isObject(budgets[0]) ? budgets[0].spent_nano_usd : undefined;
}

test('a hard budget reserves the worst case, books the truth, and refuses with 402 what has no room', async (t) => {
  const { chat, ask, upstream } = await startGuarded(t, {
    org: { budgets: [{ ...HARD, limit_usd: 0.001 }], timezone: 'Europe/Berlin' },
  });
  assert.equal((await chat({ max_tokens: 400 })).status, 200);
  assert.equal(await spentOf({ ask }), ANSWER_NANO_USD);
  const refused = await chat({ max_tokens: 500 });
  assert.equal(refused.status, 402, 'at $2 per million, 500 tokens are a dollar per thousand');
  assert.equal(errorOf(refused).code, 'budget_exceeded');
  assert.equal(errorOf(refused).type, 'insufficient_quota');
  assert.match(
    String(errorOf(refused).message),
    /"all" of \$0\.001 .* starts again at \d{4}-\d\d-01|\d{4}-\d\d-\d\d/,
  );
  assert.equal(refused.headers['x-should-retry'], 'false');
  assert.equal(await spentOf({ ask }), ANSWER_NANO_USD, 'a refusal costs nothing');
  await upstream.setFaults(upstreamFault('unavailable'));
  assert.notEqual((await chat({ max_tokens: 300 })).status, 200);
  await upstream.setFaults();
  assert.equal(await spentOf({ ask }), ANSWER_NANO_USD, 'nor does what no provider answered');
  const row = await eventually(async () => {
    const list = (await ask('/api/analytics/requests?state=complete')).json();
    const [first] = isObject(list) && Array.isArray(list.data) ? list.data : [];
    return isObject(first) ? first : undefined;
  });
  assert.equal(row.cost_nano_usd, ANSWER_NANO_USD);
});

test('what has no price is refused under a hard budget, and what is free needs none', async (t) => {
  const { chat } = await startGuarded(t, {
    org: { budgets: [{ ...HARD, limit_usd: 0.000_001 }] },
  });
  const unknown = await chat({ model: 'fake/model' });
  assert.equal(unknown.status, 403);
  assert.equal(errorOf(unknown).code, 'price_unknown');
  assert.match(String(errorOf(unknown).message), /provider "fake".*prices: \{ "model": \{ input:/);
  assert.equal((await chat()).status, 402, 'a priced one is over the budget');
  assert.equal((await chat({ model: 'sandbox/echo' })).status, 200);
});

test('spending outlives a restart, and what a killed process had reserved is charged in full', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-budget-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const upstream = await startUpstream({ recordings: [ownRecording('openai', 'text')] });
  t.after(() => upstream.close());
  const yaml = JSON.stringify(guardedConfig(upstream.url, { budgets: [{ ...HARD, limit_usd: 0.01 }] }));

  const first = await startFloe({ yaml, dataDir });
  assert.equal((await callsTo(first.url).chat({ max_tokens: 100 })).status, 200);
  await first.stop();

  const second = await startFloe({ yaml, dataDir });
  assert.equal(await spentOf(callsTo(second.url)), ANSWER_NANO_USD);
  await upstream.setFaults(upstreamFault('accept-and-silence'));
  const hanging = callsTo(second.url)
    .chat({ max_tokens: 1000 })
    .catch(() => undefined);
  await upstream.received(2);
  const held = Number(await spentOf(callsTo(second.url))) - ANSWER_NANO_USD;
  assert.ok(held >= 2_000_000 && held < 2_100_000, `1,000 tokens out and the input: ${held}`);
  await second.kill9();
  await hanging;

  const third = await startFloe({ yaml, dataDir });
  t.after(() => third.stop());
  assert.equal(await spentOf(callsTo(third.url)), ANSWER_NANO_USD + held);
});
