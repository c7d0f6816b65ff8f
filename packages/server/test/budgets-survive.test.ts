// kill -9 at random moments under load, with a hard budget, limits, cache and failover on.
// Tier: ci. Processes are killed under load.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { startWebhookReceiver } from '../src/alerts/test/webhook-receiver.ts';
import { objectOrEmpty, objectsOrEmpty } from './answer-content.ts';
import { buildGuardedConfig, createGatewayCalls } from './guarded-gateway.ts';
import { readMonotonicMs, startServerPulse } from './pulse.ts';
import { CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const FULL = Boolean(process.env['FLOE_TEST_FULL']);
const ROUNDS = FULL ? 10 : 3;
/** Answers in a round before the kill, at most. */
const ROUND_ANSWERS = FULL ? 600 : 60;
const CLIENTS = 16;
/** One answer: 31 tokens at $1,000 a million, which is also what it may cost at most. */
const ANSWER_NANO_USD = 31_000_000;
/** Reached in the last rounds. */
const PAID_ANSWERS = Math.round(ROUNDS * ROUND_ANSWERS * 0.3);
/** What the platform promises of rows: settled longer ago than this, they survive. */
const PROMISED_MS = 10;

const ANSWER = createJsonReply({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 17, completion_tokens: 31, total_tokens: 48 },
});
const FAILURE = createJsonReply({ error: { message: 'try another' } }, 503);

interface Answered {
  readonly id: string;
  readonly isPaid: boolean;
  /** Monotonic; the server settled it earlier still. */
  readonly at: number;
}

test('kill -9 under load: the budget has all spending, each row exists once, and each threshold alert is sent once', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-budgets-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const receiver = await startWebhookReceiver(t);
  const [first, second] = [
    await startFakeUpstream({ respond: (_, index) => (index % 3 === 0 ? FAILURE : ANSWER) }),
    await startFakeUpstream({ respond: () => ANSWER }),
  ];
  t.after(() => Promise.all([first.close(), second.close()]));
  const provider = (id: string, url: string) => ({
    id,
    kind: 'openai-compatible',
    base_url: `${url}/v1`,
    api_key: 'upstream-secret',
    models: ['model'],
    prices: { model: { input: 0, output: 1000 } },
  });
  const yaml = JSON.stringify(
    buildGuardedConfig(first.url, {
      providers: [provider('first', first.url), provider('second', second.url)],
      routes: [{ model: 'smart', targets: ['first/model', 'second/model'], retries: 0 }],
      cache: { enabled: true, ttl_seconds: 3600, scope: 'key' },
      limits: [{ name: 'all', scope: 'org', rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 64 }],
      budgets: [
        {
          name: 'hard',
          scope: 'org',
          period: 'total',
          mode: 'hard',
          limit_usd: (PAID_ANSWERS * ANSWER_NANO_USD) / 1e9,
        },
      ],
      channels: [{ name: 'ops', kind: 'webhook', url: receiver.url }],
    }),
  );
  const answered: Answered[] = [];
  const due: Answered[] = [];
  let sent = 0;
  const count = () => {
    sent += 1;
    return sent;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const pulse = startServerPulse();
    const floe = await startFloeProcess({ yaml, dataDir, env: pulse.env });
    const spent = await spentOf(floe);
    const paid = answered.filter(({ isPaid }) => isPaid).length;
    assert.ok(spent >= paid * ANSWER_NANO_USD, `round ${round}: ${spent} of ${paid} answers, at once`);
    const answers = await loadUntilKilled(floe, count);
    const lived = pulse.livedSince();
    answered.push(...answers);
    due.push(...answers.filter(({ at }) => lived(at) > PROMISED_MS));
  }
  const floe = await startFloeProcess({ yaml, dataDir });
  t.after(() => floe.stop());
  const limit = PAID_ANSWERS * ANSWER_NANO_USD;
  // What is left of the budget is spent one by one.
  for (let n = 0; n <= PAID_ANSWERS; n++) {
    const answer = await ask(floe, `the rest ${n}`);
    if (answer.status === 402) break;
    assert.equal(answer.status, 200, answer.text);
    sent += 1;
    answered.push({ id: answer.headers['x-request-id'] ?? '', isPaid: true, at: readMonotonicMs() });
  }
  assert.equal((await ask(floe, 'one more')).status, 402);
  assert.equal(await spentOf(floe), limit, 'to the last reservation, and not one more');
  const rows = await allRows(floe);
  const ids = new Set(rows.map(({ id }) => id));
  assert.equal(ids.size, rows.length, 'no row is there twice');
  const missing = due.filter(({ id }) => !ids.has(id));
  const paidRows = rows.filter(({ cost_nano_usd }) => Number(cost_nano_usd ?? 0) > 0);
  const paid = answered.filter(({ isPaid }) => isPaid).length;
  t.diagnostic(
    `kill -9, ${ROUNDS} rounds: ${sent} sent, ${answered.length} answered, ${paid} of them paid; ${rows.length} rows, ${missing.length} lost, 0 doubled; ${limit / ANSWER_NANO_USD} answers of budget, ${limit / ANSWER_NANO_USD - paid} charged to requests that a kill cut off`,
  );
  assert.ok(due.length > ROUNDS, 'there was load');
  assert.deepEqual(missing, [], 'no row that was promised is lost');
  assert.ok(paidRows.length * ANSWER_NANO_USD <= limit, 'nothing is on a row that the budget did not pay');
  assert.ok(limit / ANSWER_NANO_USD - paid <= ROUNDS * CLIENTS, 'at most what was under way at a kill');
  const told = await eventually(async () => {
    const shares = sharesIn(receiver.received);
    return shares.size === 3 ? shares : undefined;
  });
  for (const [share, messages] of told) assert.equal(messages.size, 1, `${share} was told under one id`);
});

async function loadUntilKilled(floe: FloeProcess, count: () => number): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  const killAfter = 20 + Math.floor(Math.random() * (ROUND_ANSWERS - 20));
  let heard = 0;
  let isKilled = false;
  const client = async () => {
    while (!isKilled) {
      const n = count();
      try {
        const answer = await ask(floe, n % 4 === 0 ? 'the same' : `question ${n}`);
        heard += 1;
        const isPaid = answer.headers['x-floe-cache'] !== 'hit';
        if (answer.status === 200 && answer.isComplete)
          answers.push({ id: answer.headers['x-request-id'] ?? '', isPaid, at: readMonotonicMs() });
        else assert.match(answer.text, /budget_exceeded|budget_reserved/);
      } catch (error) {
        // Killed before it answered.
        if (isKilled) return;
        throw error;
      }
      if (heard >= killAfter && !isKilled) {
        isKilled = true;
        await floe.kill();
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return answers;
}

function ask(floe: FloeProcess, text: string) {
  return callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
    headers: { authorization: `Bearer ${GATEWAY_KEYS.full}` },
    body: { model: 'smart', max_tokens: 31, messages: [{ role: 'user', content: text }] },
  });
}

async function spentOf(floe: FloeProcess): Promise<number> {
  const body = (await createGatewayCalls(floe.url).callApi('/gateway/v1/key')).json();
  const [budget] = isJsonObject(body) ? objectsOrEmpty(body['budgets']) : [];
  return Number(budget?.['spent_nano_usd']);
}

async function allRows(floe: FloeProcess): Promise<readonly JsonObject[]> {
  await eventually(async () => {
    const { text } = await callHttp(`${floe.url}/metrics`);
    return /^floe_spool_pending_rows 0$/m.test(text) ? true : undefined;
  });
  const rows: JsonObject[] = [];
  for (let cursor = ''; ; ) {
    const page = await createGatewayCalls(floe.url).callApi(`/api/analytics/requests?limit=500${cursor}`);
    const body = objectOrEmpty(page.json());
    rows.push(...objectsOrEmpty(body['data']));
    if (typeof body['next_cursor'] !== 'string') return rows;
    cursor = `&cursor=${encodeURIComponent(body['next_cursor'])}`;
  }
}

/** Each share of the budget that was told, and the ids of the messages that told it: one repeated keeps its id. */
function sharesIn(received: readonly { readonly headers: JsonHeaders; readonly json: object }[]) {
  const shares = new Map<number, Set<string>>();
  for (const { headers, json } of received) {
    const data = objectOrEmpty(objectOrEmpty(json)['data']);
    for (const alert of Array.isArray(data['alerts']) ? objectsOrEmpty(data['alerts']) : [data]) {
      if (alert['event'] !== 'budget') continue;
      const share = Number(objectOrEmpty(alert['fields'])['share']);
      const ids = shares.get(share) ?? new Set();
      shares.set(share, ids.add(String(headers['webhook-id'])));
    }
  }
  return shares;
}

type JsonHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
