// `responses/input_tokens` for every provider, through the official client.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty, TEST_DIALECTS } from './answer-content.ts';
import { type DialectGateway, startDialectGateway } from './dialect-gateway.ts';
import { sampleReply } from './upstream-samples.ts';

let harness: DialectGateway;
before(async () => {
  harness = await startDialectGateway({
    policies: [
      { name: 'cards', on: 'request', detect: { pii: ['credit_card'] }, action: 'deny', mode: 'enforce' },
    ],
  });
});
after(() => harness.close());

const input = 'How many tokens are these words, roughly?';

test("a provider with the dialect counts itself, and receives the client's bytes", async () => {
  const reply = { object: 'response.input_tokens', input_tokens: 4711 };
  harness.setReply('responses', createJsonReply(reply));
  const counted = await harness.openai.responses.inputTokens.count({ model: 'responses/m-1', input });
  assert.deepEqual({ ...counted }, reply);
  const { path, body } = harness.lastRequest('responses');
  assert.equal(path, '/v1/responses/input_tokens');
  assert.deepEqual(JSON.parse(body.toString('utf8')), { model: 'm-1', input });
  assert.equal(harness.lastHeaders().get('x-floe-usage-source'), null);
  const row = await harness.row(harness.lastId());
  assert.deepEqual(
    [row['surface'], row['provider'], row['status'], row['cost_nano_usd'] ?? 0],
    ['count_tokens', 'responses', 200, 0],
  );
});

for (const dialect of TEST_DIALECTS.filter((name) => name !== 'responses'))
  test(`for a model behind ${dialect}, the count is an estimate that says so, and no provider is called`, async () => {
    const before = harness.upstream(dialect).requests.length;
    const ask = { model: `${dialect}/m-1`, input };
    const short = await harness.openai.responses.inputTokens.count(ask);
    assert.equal(short.object, 'response.input_tokens');
    assert.ok(short.input_tokens >= 8 && short.input_tokens <= 30, String(short.input_tokens));
    assert.equal(harness.lastHeaders().get('x-floe-usage-source'), 'estimated');
    const long = await harness.openai.responses.inputTokens.count({
      ...ask,
      instructions: 'Long. '.repeat(1000),
    });
    assert.ok(long.input_tokens > 1000);
    assert.equal(harness.upstream(dialect).requests.length, before);
  });

test('a host with the dialect but without the path is estimated, and its other errors are forwarded', async () => {
  harness.setReply('responses', createJsonReply({ error: { message: 'no such path' } }, 404));
  const estimated = await harness.openai.responses.inputTokens.count({ model: 'responses/m-1', input });
  assert.ok(estimated.input_tokens > 0);
  const refusal = { error: { type: 'invalid_request_error', message: 'input: not like this' } };
  harness.setReply('responses', createJsonReply(refusal, 400));
  const answer = await count({ model: 'responses/m-1', input });
  assert.deepEqual([answer.status, answer.json()], [400, refusal]);
});

test('a stored response is part of the estimate', async () => {
  harness.setReply('messages', sampleReply('messages', 'text', false));
  const first = await harness.openai.responses.create({
    model: 'messages/m-1',
    input: 'A long story. '.repeat(300),
  });
  const ask = { model: 'chat/m-1', input };
  const alone = await harness.openai.responses.inputTokens.count(ask);
  const continued = await harness.openai.responses.inputTokens.count({
    ...ask,
    previous_response_id: first.id,
  });
  assert.ok(continued.input_tokens > alone.input_tokens + 300, String(continued.input_tokens));
});

test('a count has the errors and the policies of any other request', async () => {
  for (const [body, status] of [
    [{ model: 'nobody/m-1', input }, 404],
    [{ model: 'chat/m-1' }, 400],
    [{ input }, 400],
    // Only its provider knows what these refer to.
    [{ model: 'chat/m-1', input, conversation: 'conv_1' }, 400],
    [{ model: 'chat/m-1', input, previous_response_id: 'resp_unknown' }, 400],
    [{ model: 'chat/m-1', input: 'my card: 4111 1111 1111 1111' }, 403],
    [{ model: 'responses/m-1', input: 'my card: 4111 1111 1111 1111' }, 403],
  ] as const) {
    const answer = await count(body);
    assert.equal(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`);
    assert.ok(objectOrEmpty(objectOrEmpty(answer.json())['error'])['code'], answer.text);
  }
});

function count(body: object) {
  return callHttp(`${harness.url}/responses/input_tokens`, {
    headers: { authorization: `Bearer ${harness.key}` },
    body,
  });
}
