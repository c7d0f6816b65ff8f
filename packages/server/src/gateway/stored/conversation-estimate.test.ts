import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import type { DeferredExchange } from '../background/deferred-exchange.ts';
import { EMPTY_TURN_STORE } from '../test/empty-turn-store.ts';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';
import { NO_STORES } from '../test/no-stores.ts';
import type { StoredTurn } from './turn-store.ts';

/** 120,000 bytes: 40,000 tokens at three bytes, 30,000 at four. */
const HISTORY = 'abc '.repeat(30_000);
const ITEM = { type: 'message', id: 'msg_old_0', role: 'assistant', content: 'A short answer.' };
const TURN: StoredTurn = {
  id: 'exc_old',
  orgId: 'acme',
  keyId: 'key_1',
  previousId: null,
  createdAt: 0,
  origin: '',
  held: false,
  model: 'a/m',
  input: [{ type: 'message', role: 'user', content: HISTORY }],
  response: { id: 'resp_old', output: [ITEM, { ...ITEM, id: 'msg_old_1', content: HISTORY }] },
};

const event = (type: string, more: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

/** A complete response without usage. */
function reply(stream: boolean, request: string) {
  const background = request.includes('"background":true');
  const text = request.includes('Talk') ? 'word '.repeat(1_200) : 'Hello.';
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' };
  const content = [{ type: 'output_text', text, annotations: [] }];
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
  const status = background ? 'queued' : 'completed';
  const whole = { ...response, status, output: background ? [] : [item] };
  if (!stream) return createJsonReply(whole);
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  return createSseReply([
    event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    event('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
    event('response.output_text.delta', { ...place, delta: text }),
    event('response.output_text.done', { ...place, text }),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: whole }),
  ]);
}

async function start(org: JsonObject, turn = TURN) {
  const deferred: DeferredExchange[] = [];
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream, { body }) => reply(isStream, body.toString()),
    },
    // A dollar per million: tokens of input are millionths of a dollar.
    providers: { a: { kind: 'openai', prices: { '*': { input: 1, output: 1 } } } },
    routes: [{ model: '*', retries: 0 }],
    org,
    dependencies: {
      turns: {
        ...EMPTY_TURN_STORE,
        find: async (_, id) => (id === 'resp_old' ? turn : undefined),
        conversation: async (last) => [last],
      },
      background: { ...NO_STORES.background, defer: (exchange) => void deferred.push(exchange) },
    },
  });
  const send = (body: JsonObject) =>
    gateway.settled(gateway.send('responses', { model: 'a/m', max_output_tokens: 10, ...body }));
  return { gateway, deferred, send };
}

const CONTINUED = { input: 'And now?', previous_response_id: 'resp_old' };
const REFERRING = { input: Array(2).fill({ type: 'item_reference', id: 'msg_old_1' }) };

test('a reservation includes the stored conversation and each referenced item', async (t) => {
  const budget = { name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd: 0.07 };
  const { gateway, send } = await start({
    budgets: [budget],
    limits: [{ name: 'tokens', scope: 'org', tpm: 70_000 }],
  });
  t.after(() => gateway.close());
  assert.equal((await send({ input: 'Hello' })).status, 200);
  const over = await send(CONTINUED);
  assert.equal(over.status, 429, 'the conversation has more than 80,000 tokens');
  assert.equal((await send(REFERRING)).status, 429, 'each reference counts');
});

test('a hard budget rejects a request whose stored conversation it cannot cover', async (t) => {
  const budget = { name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd: 0.07 };
  const { gateway, send } = await start({ budgets: [budget] });
  t.after(() => gateway.close());
  assert.equal((await send(CONTINUED)).status, 402);
});

/** Sends a request that continues a turn with 120,000 bytes of text if `history`, and with `item`. */
async function continueLight(t: TestContext, item: JsonObject, history: boolean) {
  const input = history ? TURN.input : [];
  const turn = { ...TURN, input, response: { id: 'resp_old', output: [item] } };
  const { gateway, send } = await start({ limits: [{ name: 'tokens', scope: 'org', tpm: 10_000 }] }, turn);
  t.after(() => gateway.close());
  // A full bucket admits a request of any size.
  assert.equal((await send({ input: 'Hello' })).status, 200);
  const told = await send(CONTINUED);
  assert.equal(told.status, 200, told.text);
}

test('a reservation does not include a generated image as text', async (t) => {
  const result = Buffer.alloc(900_000, 0x91).toString('base64');
  await continueLight(t, { type: 'image_generation_call', id: 'ig_1', result }, false);
});

test('a reservation does not include what a compaction replaced', async (t) => {
  await continueLight(t, { type: 'compaction', id: 'cmp_1' }, true);
});

for (const stream of [false, true])
  test(`a ${stream ? 'stream' : 'response'} without usage is charged for the stored conversation`, async (t) => {
    const { gateway, send } = await start({});
    t.after(() => gateway.close());
    assert.equal((await send({ ...CONTINUED, stream })).status, 200);
    const [row] = gateway.rows;
    assert.equal(row?.usage_source, 'estimated');
    assert.ok(
      Number(row?.input_tokens) > 60_000 && Number(row?.input_tokens) < 61_000,
      `${row?.input_tokens}`,
    );
  });

test('a background response without usage is charged for the stored conversation', async (t) => {
  const { gateway, deferred, send } = await start({});
  t.after(() => gateway.close());
  assert.equal((await send({ ...CONTINUED, background: true })).status, 200);
  const [exchange] = deferred;
  assert.ok(Number(exchange?.inputTokens) > 60_000, `${exchange?.inputTokens}`);
  assert.ok(Number(exchange?.reservedNanoUsd) > 80_000_000, `${exchange?.reservedNanoUsd}`);
});

test('the spend meter includes the stored conversation', async (t) => {
  // Covers the conversation, but not 6,000 bytes of output.
  const budget = { name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd: 0.081 };
  const { gateway, send } = await start({ budgets: [budget] });
  t.after(() => gateway.close());
  const told = await send({ ...CONTINUED, input: 'Talk', stream: true });
  assert.match(told.text, /budget_exceeded/);
  assert.equal(gateway.rows[0]?.state, 'partial');
});
