import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { createOpaqueOperation } from '../opaque/opaque-operation.ts';
import { PASSTHROUGH_A_API } from '../passthrough/passthrough-apis.ts';
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

/** The stream of `a` is cut off while the response is queued. */
async function start(t: TestContext, more: Partial<FakeClockGatewayOptions> = {}) {
  const deferred: DeferredExchange[] = [];
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: () => createSseReply([`event: response.created\ndata: ${JSON.stringify(CREATED)}\n\n`]),
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
  const { answer, asked } = await ask({ background: true });
  assert.deepEqual(asked, [1, 0]);
  assert.match(answer.text, /resp_a/, 'the client can retrieve the response');
  assert.deepEqual(
    deferred.map(({ responseId, row }) => [responseId, row.provider]),
    [['resp_a', 'a']],
  );
});

test('a background response that a provider has created through passthrough is not requested again', async (t) => {
  const { deferred, ask } = await start(t, {
    changeOperation: () => createOpaqueOperation('POST', PASSTHROUGH_A_API, '/v1/responses'),
    org: { passthrough: { a: ['a', 'b'] } },
  });
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
