// `count_tokens` for every provider, and what else only Messages clients send, through the official client.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callHttp } from '@floe/testkit/http-client';
import { encodeRawRequest, RawClient } from '@floe/testkit/raw-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty, TEST_DIALECTS } from './answer-content.ts';
import { type DialectGateway, startDialectGateway } from './dialect-gateway.ts';
import { sampleReply } from './upstream-samples.ts';

let harness: DialectGateway;
before(async () => {
  harness = await startDialectGateway();
});
after(() => harness.close());

const messages = [{ role: 'user' as const, content: 'How many tokens are these words, roughly?' }];

test("a provider with the dialect counts itself, and receives the client's bytes", async () => {
  harness.setReply(
    'messages',
    createJsonReply({ input_tokens: 4711, context_management: { original_input_tokens: 5000 } }),
  );
  const counted = await harness.anthropic.messages.countTokens(
    { model: 'messages/m-1', messages },
    { headers: { 'anthropic-beta': 'token-counting-2024-11-01' } },
  );
  assert.equal(counted.input_tokens, 4711);
  const { path, body, headers } = harness.lastRequest('messages');
  assert.equal(path, '/v1/messages/count_tokens');
  assert.deepEqual(JSON.parse(body.toString('utf8')), { model: 'm-1', messages });
  assert.equal(headers['anthropic-beta'], 'token-counting-2024-11-01');
  assert.equal(harness.lastHeaders().get('x-floe-usage-source'), null);
  const row = await harness.row(harness.lastId());
  assert.deepEqual([row['surface'], row['provider'], row['status']], ['count_tokens', 'messages', 200]);
});

for (const dialect of TEST_DIALECTS.filter((name) => name !== 'messages'))
  test(`for a model behind ${dialect}, the count is an estimate that says so, and no provider is called`, async () => {
    const before = harness.upstream(dialect).requests.length;
    const ask = { model: `${dialect}/m-1`, messages };
    const short = await harness.anthropic.messages.countTokens(ask);
    assert.ok(short.input_tokens >= 8 && short.input_tokens <= 30, String(short.input_tokens));
    assert.equal(harness.lastHeaders().get('x-floe-usage-source'), 'estimated');
    const long = await harness.anthropic.messages.countTokens({ ...ask, system: 'Long. '.repeat(1000) });
    assert.ok(long.input_tokens > 1000);
    assert.equal(harness.upstream(dialect).requests.length, before);
  });

test('a host with the dialect but without the path is estimated, and its other errors are forwarded', async () => {
  harness.setReply('messages', { ...createJsonReply({ error: 'no such path' }), status: 404 });
  const estimated = await harness.anthropic.messages.countTokens({ model: 'messages/m-1', messages });
  assert.ok(estimated.input_tokens > 0);
  assert.equal(harness.lastHeaders().get('x-floe-usage-source'), 'estimated');
  const refusal = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'messages.0: not like this' },
  };
  harness.setReply('messages', { ...createJsonReply(refusal), status: 400 });
  const answer = await count({ model: 'messages/m-1', messages });
  assert.deepEqual([answer.status, answer.json()], [400, refusal]);
});

test('a count has the errors of any other request', async () => {
  for (const [body, status] of [
    [{ model: 'nobody/m-1', messages }, 404],
    [{ model: 'chat/m-1' }, 400],
    [{ messages }, 400],
  ] as const) {
    const answer = await count(body);
    assert.equal(answer.status, status);
    assert.equal(objectOrEmpty(answer.json())['type'], 'error');
  }
});

test('the query of the client reaches a provider with the dialect unchanged, and no other provider', async () => {
  for (const dialect of ['messages', 'chat'] as const) {
    const query = '?beta=true&x=%20?&x=2';
    harness.setReply(dialect, sampleReply(dialect, 'text', false));
    const body = { model: `${dialect}/m-1`, max_tokens: 10, messages };
    const answer = await callHttp(`${harness.url}/messages${query}&key=${harness.key}`, {
      headers: { 'x-api-key': harness.key },
      body,
    });
    assert.equal(answer.status, 200, answer.text);
    const { path } = harness.lastRequest(dialect);
    assert.equal(path, dialect === 'chat' ? '/v1/chat/completions' : `/v1/messages${query}`);
  }
  harness.setReply('messages', createJsonReply({ input_tokens: 7 }));
  await count({ model: 'messages/m-1', messages }, '?beta=true');
  assert.equal(harness.lastRequest('messages').path, '/v1/messages/count_tokens?beta=true');
});

test('a query that cannot be forwarded is an error only for a provider that receives it', async () => {
  for (const [query, dialect, status] of [
    ['?a#b', 'chat', 200],
    ['?a#b', 'messages', 400],
    // The HTTP parser rejects these bytes.
    ['?a=\u00e9', 'chat', 400],
  ] as const) {
    harness.setReply(dialect, sampleReply(dialect, 'text', false));
    const before = harness.upstream(dialect).requests.length;
    const client = await RawClient.connect(harness.url);
    await client.send(
      encodeRawRequest({
        method: 'POST',
        path: `/gateway/v1/messages${query}`,
        headers: [
          ['x-api-key', harness.key],
          ['content-type', 'application/json'],
        ],
        body: JSON.stringify({ model: `${dialect}/m-1`, max_tokens: 10, messages }),
      }),
    );
    const answer = await client.readAnswer();
    client.hangUp();
    assert.equal(answer.status, status, answer.body.toString());
    assert.equal(harness.upstream(dialect).requests.length, before + (status === 200 ? 1 : 0));
  }
});

test('both API versions and every beta header reach a provider with the dialect unchanged', async () => {
  harness.setReply('messages', sampleReply('messages', 'text', false));
  for (const version of ['2023-06-01', '2026-10-21', undefined]) {
    const answer = await callHttp(`${harness.url}/messages?beta=true`, {
      headers: {
        'x-api-key': harness.key,
        ...(version && { 'anthropic-version': version }),
        'anthropic-beta': 'context-management-2025-06-27,some-beta-nobody-knows',
      },
      body: { model: 'messages/m-1', max_tokens: 10, messages, context_management: { edits: [] } },
    });
    assert.equal(answer.status, 200, answer.text);
    const { headers, body, path } = harness.lastRequest('messages');
    assert.equal(path, '/v1/messages?beta=true');
    assert.equal(headers['anthropic-version'], version ?? '2023-06-01');
    assert.equal(headers['anthropic-beta'], 'context-management-2025-06-27,some-beta-nobody-knows');
    assert.ok(body.includes('"context_management":{"edits":[]}'));
  }
});

test('a system turn in the middle of the conversation remains at its position, for every provider', async () => {
  const conversation = [
    { role: 'user', content: 'First question.' },
    { role: 'assistant', content: 'First answer.' },
    { role: 'system', content: [{ type: 'text', text: 'From now on in French.' }] },
    { role: 'user', content: 'Second question.' },
  ];
  for (const dialect of TEST_DIALECTS) {
    harness.setReply(dialect, sampleReply(dialect, 'text', false));
    const answer = await callHttp(`${harness.url}/messages`, {
      headers: { 'x-api-key': harness.key },
      body: { model: `${dialect}/m-1`, max_tokens: 10, messages: conversation },
    });
    assert.equal(answer.status, 200, answer.text);
    const sent = harness.lastRequest(dialect).body.toString('utf8');
    const places = ['First question.', 'First answer.', 'in French.', 'Second question.'].map((text) =>
      sent.indexOf(text),
    );
    assert.ok(!places.includes(-1), sent);
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
  }
});

test("tools that a provider runs itself are dropped next to the caller's own, and rejected alone", async () => {
  const hosted = { type: 'web_search' };
  const own = {
    type: 'function',
    name: 'shell',
    parameters: { type: 'object', properties: {} },
    strict: false,
  };
  const ask = (tools: readonly object[], more: object = {}) =>
    callHttp(`${harness.url}/responses`, {
      headers: { authorization: `Bearer ${harness.key}` },
      body: { model: 'messages/m-1', input: 'Hi', tools, ...more },
    });
  harness.setReply('messages', sampleReply('messages', 'text', false));
  const kept = await ask([hosted, own, { type: 'tool_search' }]);
  assert.equal(kept.status, 200, kept.text);
  assert.deepEqual(kept.headers['x-floe-dropped']?.split(','), ['tools.web_search', 'tools.tool_search']);
  assert.ok(!harness.lastRequest('messages').body.includes('web_search'));
  assert.equal((await ask([hosted])).status, 400);
  assert.equal((await ask([hosted, own], { tool_choice: { type: 'web_search' } })).status, 400);
});

function count(body: object, query = '') {
  return callHttp(`${harness.url}/messages/count_tokens${query}`, {
    headers: { 'x-api-key': harness.key },
    body,
  });
}
