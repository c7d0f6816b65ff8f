// Responses made in the background: what they cost is settled once, whoever reads them, if anybody.
// Tier: ci. Waits for responses in the background of two processes.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { GATEWAY_KEYS } from './running-gateway.ts';

/** 1,000 tokens in at $1 and 50,000 out at $10 per million. */
const COST = 501_000_000;
const USAGE = { input_tokens: 1000, output_tokens: 50_000, total_tokens: 51_000 };

interface Keeper {
  readonly upstream: FakeUpstream;
  /** How responses end from now on; null while they are under way. */
  end: JsonObject | null;
}

async function startKeeper(t: TestContext): Promise<Keeper> {
  let made = 0;
  const keeper: { end: JsonObject | null; upstream: FakeUpstream } = {
    end: null,
    upstream: await startFakeUpstream({
      respond({ method, path }) {
        if (method === 'POST') made += 1;
        const id = method === 'POST' ? `resp_${made}` : (path.split('/')[3] ?? '');
        const base = { id, object: 'response', model: 'm', background: true, output: [] };
        return createJsonReply({
          ...base,
          status: method === 'POST' ? 'queued' : 'in_progress',
          ...(method === 'GET' && keeper.end),
        });
      },
    }),
  };
  t.after(() => keeper.upstream.close());
  return keeper;
}

function configFor(url: string): string {
  const prices = { m: { input: 1, output: 10 } };
  const provider = {
    id: 'keeper',
    kind: 'openai',
    base_url: `${url}/v1`,
    api_key: 'secret',
    models: ['m'],
    prices,
  };
  const budget = { name: 'all', scope: 'org', period: 'total', mode: 'hard', limit_usd: 2 };
  const soft = { name: 'soft', scope: 'org', period: 'total', mode: 'soft', limit_usd: 2 };
  const keys = [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway', 'management', 'read'] }];
  const org = {
    id: 'acme',
    keys,
    providers: [provider],
    passthrough: { a: ['keeper'] },
    budgets: [budget, soft],
  };
  return JSON.stringify({ orgs: [org] });
}

function asking(url: string) {
  const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}` };
  const body = { model: 'm', input: 'Hi', background: true, max_output_tokens: 100_000 };
  return {
    unified: () => callHttp(`${url}/gateway/v1/responses`, { headers, body: { ...body, model: 'keeper/m' } }),
    native: () => callHttp(`${url}/gateway/passthrough-a/v1/responses`, { headers, body }),
    get: (path: string) => callHttp(url + path, { headers }),
    async budgets(member: 'spent_nano_usd' | 'reserved_nano_usd'): Promise<readonly unknown[]> {
      const answer = (await callHttp(`${url}/gateway/v1/key`, { headers })).json();
      const budgets = isJsonObject(answer) && Array.isArray(answer['budgets']) ? answer['budgets'] : [];
      return budgets.map((budget) => isJsonObject(budget) && budget[member]);
    },
    /** The row, once what it cost is known. */
    row: (id: string | undefined) =>
      eventually(async () => {
        const row = (await callHttp(`${url}/api/analytics/requests/${id}`, { headers })).json();
        return isJsonObject(row) && row['id'] === id ? row : undefined;
      }),
  };
}

function figuresOf(row: JsonObject): readonly unknown[] {
  const { usage, cost_nano_usd: cost, cost_source: source } = row;
  if (!isJsonObject(usage)) return [];
  return [usage['input_tokens'], usage['output_tokens'], usage['source'], cost, source];
}

const idOf = (body: unknown) => (isJsonObject(body) ? String(body['id']) : '');

test('the usage of a background response is settled once, when its end is read', async (t) => {
  const keeper = await startKeeper(t);
  const floe = await startFloeProcess({ yaml: configFor(keeper.upstream.url) });
  t.after(() => floe.stop());
  const ask = asking(floe.url);
  const made = await ask.unified();
  assert.equal(made.status, 200);
  const [held] = await ask.budgets('reserved_nano_usd');
  assert.ok(Number(held) > 1_000_000_000, `the most it may cost stays reserved: ${held}`);
  assert.match(String((await ask.unified()).status), /402|429/, 'and nobody else may spend it');
  keeper.end = { status: 'completed', usage: USAGE };
  for (let turn = 0; turn < 2; turn += 1) {
    const read = (await ask.get(`/gateway/v1/responses/${idOf(made.json())}`)).json();
    assert.equal(isJsonObject(read) && read['status'], 'completed');
  }
  const row = await ask.row(made.headers['x-request-id']);
  assert.deepEqual(figuresOf(row), [1000, 50_000, 'provider', COST, 'override']);
  await eventually(async () =>
    (await ask.budgets('spent_nano_usd')).every((spent) => spent === COST) ? true : undefined,
  );
  const { time, duration_ms, key_id, ...line } = await findBackgroundLine(floe);
  assert.ok(time && Number(duration_ms) > 0 && String(key_id).startsWith('key_'));
  assert.deepEqual(line, {
    level: 'info',
    msg: 'background_response',
    request_id: made.headers['x-request-id'],
    org: 'acme',
    key_name: 'full',
    team: null,
    surface: 'responses',
    route_mode: 'unified',
    model_requested: 'keeper/m',
    model: 'm',
    response_status: 'completed',
    input_tokens: 1000,
    output_tokens: 50_000,
    cost_usd: COST / 1e9,
  });
});

/** The only line of a background response in the access log, once it is written. */
async function findBackgroundLine(floe: FloeProcess): Promise<JsonObject> {
  const read = () =>
    floe
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg":"background_response"'));
  const [text = ''] = await eventually(async () => (read().length > 0 ? read() : undefined));
  await floe.stop();
  assert.equal(read().length, 1);
  const line: unknown = JSON.parse(text);
  return isJsonObject(line) ? line : assert.fail(text);
}

test('a background response that no one reads is settled too, on either surface', async (t) => {
  const keeper = await startKeeper(t);
  const floe = await startFloeProcess({ yaml: configFor(keeper.upstream.url) });
  t.after(() => floe.stop());
  const ask = asking(floe.url);
  keeper.end = { status: 'completed', usage: USAGE, service_tier: 'priority' };
  const first = await ask.native();
  assert.equal(first.status, 200);
  const row = await ask.row(first.headers['x-request-id']);
  assert.deepEqual(figuresOf(row), [1000, 50_000, 'provider', COST, 'incomplete']);
  const second = await ask.unified();
  assert.deepEqual(figuresOf(await ask.row(second.headers['x-request-id'])).slice(0, 2), [1000, 50_000]);
  await eventually(async () =>
    (await ask.budgets('spent_nano_usd')).every((spent) => spent === 2 * COST) ? true : undefined,
  );
});

test('after a restart, the next process settles the response; the reservation of the first process remains charged', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-background-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const keeper = await startKeeper(t);
  const yaml = configFor(keeper.upstream.url);
  const first = await startFloeProcess({ yaml, dataDir });
  const made = await asking(first.url).unified();
  const [held] = await asking(first.url).budgets('reserved_nano_usd');
  await first.stop();
  keeper.end = { status: 'completed', usage: USAGE };
  const second = await startFloeProcess({ yaml, dataDir });
  t.after(() => second.stop());
  const ask = asking(second.url);
  assert.deepEqual(figuresOf(await ask.row(made.headers['x-request-id'])).slice(0, 4), [
    1000,
    50_000,
    'provider',
    COST,
  ]);
  await eventually(async () => {
    const [hard, soft] = await ask.budgets('spent_nano_usd');
    return hard === held && soft === COST ? true : undefined;
  });
});

test('a response that the provider no longer has is charged at its reservation', async (t) => {
  const upstream = await startFakeUpstream({
    respond: ({ method }) =>
      method === 'POST'
        ? createJsonReply({
            id: 'resp_1',
            object: 'response',
            status: 'queued',
            background: true,
            output: [],
          })
        : createJsonReply({ error: { message: 'not found' } }, 404),
  });
  t.after(() => upstream.close());
  const floe = await startFloeProcess({ yaml: configFor(upstream.url) });
  t.after(() => floe.stop());
  const ask = asking(floe.url);
  const made = await ask.unified();
  const [held] = await ask.budgets('reserved_nano_usd');
  const row = await ask.row(made.headers['x-request-id']);
  assert.deepEqual([row['cost_nano_usd'], row['cost_source']], [held, 'incomplete']);
  await eventually(async () =>
    (await ask.budgets('spent_nano_usd')).every((spent) => spent === held) ? true : undefined,
  );
});
