// Requests that Floe cannot read, although a provider with the client's dialect may accept them.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { type FakeClockGateway, startFakeClockGateway } from './test/fake-clock-gateway.ts';
import { createFixedOwners } from './test/no-stores.ts';

const MESSAGES = [{ role: 'user', content: 'hello' }];
const TOOL = { type: 'function', function: { name: 'measure', parameters: { type: 'object' } } };
const ANSWER = { role: 'assistant', content: 'hi' };
const CHAT_ANSWER = {
  id: 'c-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: ANSWER, finish_reason: 'stop' }],
};
const CHAT_STREAM = [
  { ...CHAT_ANSWER, choices: [{ index: 0, delta: ANSWER, finish_reason: 'stop' }] },
  'data: [DONE]\n\n',
];
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};
/** Chat requests with values that are unknown to Floe, or that only the provider can check. */
const UNKNOWN: readonly JsonObject[] = [
  { messages: [{ role: 'critic', content: 'x' }, ...MESSAGES] },
  { messages: MESSAGES, response_format: { type: 'grammar', grammar: 'g' } },
  { messages: MESSAGES, tools: [TOOL, { type: 'search' }], tool_choice: { type: 'search' } },
];

async function start(t: TestContext, route: JsonObject): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: {
      foreign: () => createJsonReply({}, 500),
      native: (isStream) => (isStream ? createSseReply(CHAT_STREAM) : createJsonReply(CHAT_ANSWER)),
    },
    providers: { foreign: { kind: 'gemini' } },
    routes: [{ retries: 0, ...route }],
  });
  t.after(() => gateway.close());
  return gateway;
}

test('a request that cannot be translated is forwarded to a later target with the dialect of the client', async (t) => {
  const gateway = await start(t, { model: 'smart', targets: ['foreign/m', 'native/m'] });
  for (const body of UNKNOWN) {
    const answer = await gateway.send('chat', { model: 'smart', ...body });
    assert.equal(answer.status, 200, `${JSON.stringify(body)}: ${answer.text}`);
    const sent = gateway.upstream('native').requests.at(-1)?.body.toString('utf8') ?? '';
    assert.deepEqual(JSON.parse(sent), { model: 'm', ...body });
  }
  assert.equal(gateway.upstream('foreign').requests.length, 0);
});

test('embeddings that cannot be translated are forwarded to a later target with the format', async (t) => {
  const gateway = await start(t, { model: 'smart', targets: ['foreign/m', 'native/m'] });
  const body = { model: 'smart', input: [{ content: [{ type: 'text', text: 'x' }] }] };
  await gateway.sendTo('embeddings', body);
  const sent = gateway.upstream('native').requests.at(-1)?.body.toString('utf8') ?? '{}';
  assert.deepEqual(JSON.parse(sent), { ...body, model: 'm' });
});

test('a request that cannot be translated fails with the reason if no target has the dialect', async (t) => {
  const gateway = await start(t, { model: 'smart', targets: ['foreign/m', 'foreign/n'] });
  const answer = await gateway.send('chat', { model: 'smart', ...UNKNOWN[0] });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /`messages\[0\]\.role` must be/);
});

test('a stream whose request cannot be read is forwarded without replay', async (t) => {
  const gateway = await start(t, { model: 'smart', targets: ['native/m', 'foreign/m'], rescue: 'replay' });
  for (const body of UNKNOWN) {
    const answer = await gateway.send('chat', { model: 'smart', stream: true, ...body });
    assert.equal(answer.status, 200, `${JSON.stringify(body)}: ${answer.text}`);
    assert.match(answer.text, /\[DONE\]/);
  }
});

test('Claude on a cloud does not receive a request whose hosted features its API lacks', async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { cloud: () => createJsonReply(MESSAGE), own: () => createJsonReply(MESSAGE) },
    providers: { cloud: { kind: 'bedrock', region: 'test-1' }, own: { kind: 'anthropic-compatible' } },
    routes: [{ model: 'smart', targets: ['cloud/anthropic.claude-4', 'own/m'], retries: 0 }],
    dependencies: { resourceOwners: createFixedOwners('own', 'key_1') },
  });
  t.after(() => gateway.close());
  const server = { type: 'url', url: 'https://mcp.test', name: 'docs' };
  for (const [more, target] of [
    [{ mcp_servers: [server] }, 'own'],
    [{ container: 'container_1' }, 'own'],
    [{ compaction: { type: 'summarize' } }, 'own'],
    [{ mcp_servers: [], container: null }, 'cloud'],
  ] as const) {
    const before = gateway.upstream(target).requests.length;
    const answer = await gateway.send('messages', {
      model: 'smart',
      max_tokens: 9,
      messages: MESSAGES,
      ...more,
    });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(gateway.upstream(target).requests.length, before + 1, JSON.stringify(more));
  }
});

test('a request with a thread is rejected with the details by which SDKs continue without a thread', async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { own: () => createJsonReply(MESSAGE) },
    providers: { own: { kind: 'anthropic-compatible' } },
    routes: [],
  });
  t.after(() => gateway.close());
  const next = { type: 'continue', previous_message_id: 'msg_1' };
  for (const thread of [
    { messages: MESSAGES, thread: { type: 'create' } },
    { messages: MESSAGES, thread: next },
    { messages: [], thread: next },
    { messages: MESSAGES, thread: 'create' },
  ]) {
    const refused = await gateway.send('messages', { model: 'own/m', max_tokens: 9, ...thread });
    assert.equal(refused.status, 400, refused.text);
    const { error } = JSON.parse(refused.text);
    assert.deepEqual(error.details, { error_code: 'thread_unsupported_request', unsupported: ['model'] });
  }
  assert.equal(gateway.upstream('own').requests.length, 0);
  const sent = await gateway.send('messages', {
    model: 'own/m',
    max_tokens: 9,
    messages: MESSAGES,
    thread: null,
  });
  assert.equal(sent.status, 200, sent.text);
});

test('a request with a field twice in a nested object is not translated, and reaches a target of its dialect unchanged', async (t) => {
  const gateway = await start(t, { model: 'smart', targets: ['foreign/m', 'native/m'] });
  const text = '"messages":[{"role":"user","content":"a","cont\\u0065nt":"b"}]';
  const send = (model: string) => gateway.send('chat', {}, { body: `{"model":"${model}",${text}}` });
  const refused = await send('foreign/m');
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /field \\"content\\" must occur only once in an object/);
  assert.equal(gateway.upstream('foreign').requests.length, 0);
  const answer = await send('smart');
  assert.equal(answer.status, 200, answer.text);
  const sent = gateway.upstream('native').requests.at(-1)?.body.toString('utf8');
  assert.equal(sent, `{"model":"m",${text}}`);
});
