import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { createOpaqueOperation } from '../opaque/opaque-operation.ts';
import { PASSTHROUGH_A_API } from '../passthrough/passthrough-apis.ts';
import type { StoredTurn } from '../stored/turn-store.ts';
import { EMPTY_TURN_STORE } from '../test/empty-turn-store.ts';
import { type FakeClockGatewayOptions, startFakeClockGateway } from '../test/fake-clock-gateway.ts';
import { NO_STORES } from '../test/no-stores.ts';
import type { DeferredExchange } from './deferred-exchange.ts';

const CREATED = {
  type: 'response.created',
  sequence_number: 0,
  response: {
    id: 'resp_a',
    object: 'response',
    created_at: 1,
    model: 'm',
    background: true,
    status: 'queued',
  },
};

const event = (type: string, more: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const CREATED_EVENT = event(CREATED.type, CREATED);
const MESSAGE = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
const PARTS = [{ type: 'output_text', text: 'Hello.', annotations: [] }];
const REST = [
  event('response.output_item.added', { output_index: 0, item: { ...MESSAGE, content: [] } }),
  event('response.output_text.delta', {
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: 'Hello.',
  }),
  event('response.output_item.done', { output_index: 0, item: { ...MESSAGE, content: PARTS } }),
  event('response.completed', {
    response: {
      ...CREATED.response,
      status: 'completed',
      output: [{ ...MESSAGE, content: PARTS }],
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    },
  }),
];
const FAILED_EVENT = event('response.failed', {
  response: {
    ...CREATED.response,
    status: 'failed',
    error: { code: 'server_error', message: 'Overloaded.' },
  },
});
const PASSTHROUGH = {
  changeOperation: () => createOpaqueOperation('POST', PASSTHROUGH_A_API, '/v1/responses'),
  org: { passthrough: { a: ['a', 'b'] } },
};

/** The stream of `a` is cut off while the response is queued. */
async function start(t: TestContext, more: Partial<FakeClockGatewayOptions> = {}) {
  const deferred: DeferredExchange[] = [];
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: () => createSseReply([CREATED_EVENT]),
      b: () => createJsonReply({ error: { message: 'broken' } }, 500),
    },
    providers: { a: { kind: 'openai' }, b: { kind: 'openai' } },
    routes: [{ model: 'both', targets: ['a/m', 'b/m'], retries: 1 }],
    dependencies: {
      background: { ...NO_STORES.background, defer: (exchange) => void deferred.push(exchange) },
    },
    ...more,
  });
  t.after(() => gateway.close());
  const ask = async (body: JsonObject) => {
    const answer = await gateway.settled(
      gateway.send('responses', { model: 'both', input: 'hi', stream: true, ...body }),
    );
    const asked = (['a', 'b'] as const).map((id) => gateway.upstream(id).requests.length);
    return { answer, asked };
  };
  return { gateway, deferred, ask };
}

test('a background response that a provider has created is not requested again', async (t) => {
  const { deferred, ask } = await start(t);
  const { asked } = await ask({ background: true });
  assert.deepEqual(asked, [1, 0]);
  assert.deepEqual(
    deferred.map(({ responseId, row }) => [responseId, row.provider]),
    [['resp_a', 'a']],
  );
});

test('a background response that a provider has created through passthrough is not requested again', async (t) => {
  const { deferred, ask } = await start(t, PASSTHROUGH);
  const { answer, asked } = await ask({ model: 'm', background: true });
  assert.deepEqual(asked, [1, 0], answer.text);
  assert.deepEqual(
    deferred.map(({ responseId }) => responseId),
    ['resp_a'],
  );
});

test('a response that does not run in the background is requested from the next target', async (t) => {
  const { gateway, ask } = await start(t);
  const { asked } = await ask({});
  assert.deepEqual(asked, [2, 2]);
  assert.deepEqual(
    gateway.rows.map(({ provider, state, cost_nano_usd: cost }) => [provider, state, cost]),
    [['b', 'failed', null]],
  );
});

test('a background response is stored when its client disconnects from the stream', async (t) => {
  const stored: StoredTurn[] = [];
  const { gateway } = await start(t, {
    upstreams: {
      a: () => ({ ...createSseReply([CREATED_EVENT, ...REST]), chunking: 'frames', isPaced: true }),
      b: () => createJsonReply({}),
    },
    dependencies: {
      background: { ...NO_STORES.background, defer: () => undefined },
      turns: { ...EMPTY_TURN_STORE, store: async (turn) => void stored.push(turn) },
    },
  });
  gateway.upstream('a').gate.release(1);
  const disconnect = new AbortController();
  const reader = await openStream(gateway, 'both', disconnect.signal);
  assert.match((await reader.read()).value ?? '', /response\.created/);
  disconnect.abort();
  await eventually(() => stored.length > 0 || undefined);
  assert.deepEqual(
    stored.map(({ response, held }) => [response['id'], response['status'], held]),
    [['resp_a', 'queued', true]],
  );
});

/** Requests a background stream. */
async function openStream({ url }: { readonly url: string }, model: string, signal?: AbortSignal) {
  const response = await fetch(`${url}/responses`, {
    method: 'POST',
    ...(signal && { signal }),
    headers: { authorization: `Bearer eis_${'0'.repeat(32)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: 'hi', stream: true, background: true }),
  });
  return response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
}

/** The response is queued for 70 s. Returns the stream, without comments, and their number. */
async function askSlowly(t: TestContext, model: string, more: Partial<FakeClockGatewayOptions>) {
  const { gateway } = await start(t, {
    upstreams: {
      a: () => ({ ...createSseReply([CREATED_EVENT, ...REST]), chunking: 'frames', isPaced: true }),
      b: () => createJsonReply({ error: { message: 'broken' } }, 500),
    },
    providers: {
      a: { kind: 'openai', timeouts: { first_token_ms: 900_000, idle_ms: 60_000 } },
      b: { kind: 'openai' },
    },
    ...more,
  });
  const { gate } = gateway.upstream('a');
  gate.release(1);
  const reader = await openStream(gateway, model);
  let text = (await reader.read()).value ?? '';
  assert.match(text, /response\.created/);
  await gateway.advance(70_000);
  gate.open();
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  await gateway.settled(Promise.resolve());
  const [row] = gateway.rows;
  const attempts: { first_token_ms: number }[] = JSON.parse(row?.attempts_json ?? '[]');
  return { row, attempts, text, gateway };
}

const OPERATIONS: Readonly<Record<string, Partial<FakeClockGatewayOptions>>> = {
  'a queued background stream': {},
  'a queued background stream of a passthrough request': PASSTHROUGH,
};
for (const [name, more] of Object.entries(OPERATIONS)) {
  test(`${name} has its first token with its first content`, async (t) => {
    const { row, attempts, text, gateway } = await askSlowly(t, more === PASSTHROUGH ? 'm' : 'both', more);
    assert.match(text, /response\.completed/, text);
    assert.equal(text.match(/^: /gm)?.length ?? 0, more === PASSTHROUGH ? 0 : 3);
    assert.equal(row?.state, 'complete');
    assert.ok(Number(row?.first_token_ms) >= 70_000, `${row?.first_token_ms}`);
    assert.ok(Number(attempts[0]?.first_token_ms) >= 70_000, `${attempts[0]?.first_token_ms}`);
    assert.doesNotMatch(row?.decisions_json ?? '', /first_token_deadline/);
    assert.equal(gateway.upstream('b').requests.length, 0);
  });
}

for (const [name, more] of Object.entries({ '': {}, ' through passthrough': PASSTHROUGH }))
  test(`a background response that fails as soon as it is created${name} is requested again`, async (t) => {
    const { ask } = await start(t, {
      upstreams: {
        a: () => ({ ...createSseReply([CREATED_EVENT, FAILED_EVENT]), chunking: 'whole' }),
        b: () => createSseReply([CREATED_EVENT, ...REST]),
      },
      ...more,
    });
    const { answer, asked } = await ask({ background: true, ...(name !== '' && { model: 'm' }) });
    assert.equal(asked[1], 1, answer.text);
    assert.match(answer.text, /response\.completed/);
  });
