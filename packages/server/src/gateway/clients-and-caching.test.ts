import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { detectClientName } from './client-name.ts';
import { findSessionId } from './conversation-id.ts';
import { type FakeClockGateway, startFakeClockGateway } from './test/fake-clock-gateway.ts';

const LONG = 'You are an agent that edits code. '.repeat(400);
const USAGE = {
  input_tokens: 100,
  cache_read_input_tokens: 9_000,
  cache_creation_input_tokens: 900,
  output_tokens: 10,
};
const PRICES = { 'claude-sonnet-4-5': { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } };
const ANSWER = {
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Done.' }],
    stop_reason: 'end_turn',
    usage: USAGE,
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }],
    usage: { input_tokens: 5, output_tokens: 1, total_tokens: 6 },
  },
};

async function start(t: TestContext, org: JsonObject = {}): Promise<FakeClockGateway> {
  const harness = await startFakeClockGateway({
    upstreams: {
      claude: () => createJsonReply(ANSWER.messages),
      gpt: () => createJsonReply(ANSWER.responses),
    },
    providers: {
      claude: { kind: 'anthropic-compatible', prices: PRICES },
      gpt: { kind: 'openai' },
    },
    routes: [{ model: '*', retries: 0 }],
    org,
  });
  t.after(() => harness.close());
  return harness;
}

function sentTo(harness: FakeClockGateway, provider: string): JsonObject {
  const body: unknown = JSON.parse(harness.upstream(provider).requests.at(-1)?.body.toString('utf8') ?? '{}');
  assert.ok(isJsonObject(body));
  return body;
}

const CODEX = {
  originator: 'codex_exec',
  'session-id': 'session-7',
  'user-agent': 'codex_exec/0.169.0 (linux)',
};
const TOOL = {
  type: 'function',
  name: 'shell',
  description: LONG,
  parameters: { type: 'object', properties: {} },
};
const codex = (model: string, ...more: JsonObject[]): JsonObject => ({
  model,
  store: false,
  instructions: LONG,
  input: [{ role: 'user', content: 'Fix the test.' }, ...more],
  tools: [TOOL],
});

test('prompt caching is enabled for an agent with another dialect, and the row contains the savings', async (t) => {
  const harness = await start(t);
  const answer = await harness.settled(
    harness.send('responses', codex('claude/claude-sonnet-4-5'), { headers: CODEX }),
  );
  assert.equal(answer.status, 200, answer.text);
  const sent = sentTo(harness, 'claude');
  for (const member of ['tools', 'system', 'messages'])
    assert.ok(JSON.stringify(sent[member]).includes('"cache_control":{"type":"ephemeral"}'), member);
  const [row] = harness.rows;
  assert.deepEqual([row?.client, row?.session, row?.cached_tokens], ['codex', 'session-7', 9_000]);
  // 9,000 tokens at $0.30 instead of $3, and 900 at $3.75 instead of $3, per million.
  assert.equal(row?.prompt_saved_nano_usd, 9_000 * 2_700 - 900 * 750);
});

test('cache marks of a Chat client are sent to Messages providers, and no others are added', async (t) => {
  const harness = await start(t);
  const system = { role: 'system', content: LONG, cache_control: { type: 'ephemeral' } };
  const user = {
    role: 'user',
    content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  };
  const body = { model: 'claude/claude-sonnet-4-5', messages: [system, user] };
  await harness.settled(harness.send('chat', body));
  const sent = sentTo(harness, 'claude');
  assert.deepEqual(sent['system'], [{ type: 'text', text: LONG, cache_control: { type: 'ephemeral' } }]);
  assert.equal(JSON.stringify(sent).split('cache_control').length - 1, 2);
  assert.ok(JSON.stringify(sent['messages']).includes('"ttl":"1h"'));
});

test('a conversation has one cache key, from its session or its beginning, that does not identify the user', async (t) => {
  const harness = await start(t);
  const key = async (body: JsonObject, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const answer = await harness.settled(harness.send('messages', { max_tokens: 99, ...body }, { headers }));
    assert.equal(answer.status, 200, answer.text);
    return String(sentTo(harness, 'gpt')['prompt_cache_key']);
  };
  const said = (text: string) => ({ role: 'user', content: text });
  const first = { model: 'gpt/gpt-5', system: LONG, messages: [said('Fix it.')] };
  const later = {
    ...first,
    messages: [...first.messages, { role: 'assistant', content: 'ok' }, said('And now?')],
  };
  const other = { ...first, messages: [said('Something else.')] };
  assert.equal(await key(first), await key(later));
  assert.notEqual(await key(first), await key(other));

  const session = { 'x-claude-code-session-id': 'session-7' };
  assert.equal(await key(first, session), await key(other, session));
  assert.notEqual(await key(first, session), await key(first));
  const inUser = {
    ...first,
    metadata: { user_id: '{"device_id":"d","account_uuid":"a","session_id":"session-7"}' },
  };
  assert.equal(await key(inUser), await key(first, session));
  const made = await key(first, session);
  assert.match(made, /^floe-[\w-]{32}$/);
  assert.ok(!made.includes('session'));
});

test('a cache key from the client is forwarded unchanged', async (t) => {
  const harness = await start(t);
  const body = { model: 'gpt/gpt-5', messages: [{ role: 'user', content: 'hi' }], prompt_cache_key: 'mine' };
  await harness.settled(harness.send('chat', body));
  assert.equal(sentTo(harness, 'gpt')['prompt_cache_key'], 'mine');
});

test('client products are recognized by the headers that they send', () => {
  const sent: readonly (readonly [Readonly<Record<string, string>>, string | null])[] = [
    [{ 'user-agent': 'claude-cli/2.1.329 (external, cli)', 'x-app': 'cli' }, 'claude-code'],
    [{ 'user-agent': 'node', 'x-claude-code-session-id': 'x' }, 'claude-code'],
    [CODEX, 'codex'],
    [{ 'user-agent': 'codex_cli_rs/0.169.0 (Mac OS 26; arm64)' }, 'codex'],
    [{ 'user-agent': 'opencode/1.18.33 ai-sdk/openai-compatible/3.0.92' }, 'opencode'],
    [{ originator: 'opencode', 'user-agent': 'ai-sdk/openai/4.0' }, 'opencode'],
    [
      { 'user-agent': 'OpenAI/JS 7.55.0', 'x-initiator': 'agent', 'x-interaction-type': 'conversation' },
      'copilot',
    ],
    [{ 'user-agent': 'QwenCode/0.15.10 (linux; x64)' }, 'qwen-code'],
    [{ 'user-agent': 'GeminiCLI/0.61.0/gemini-3 (linux)' }, 'gemini-cli'],
    [{ 'user-agent': 'OpenAI/Python 3.22.1' }, 'openai-sdk'],
    [{ 'user-agent': 'AsyncAnthropic/Python 1.13.0' }, 'anthropic-sdk'],
    [{ 'user-agent': 'Cursor/3.14' }, 'cursor'],
    [{ 'user-agent': 'curl/8.9.1' }, 'curl'],
    [{ 'user-agent': 'Mozilla/5.0 (X11)' }, 'browser'],
    [{ 'user-agent': '\u0000 <script>' }, null],
    [{}, null],
  ];
  for (const [headers, name] of sent) assert.equal(detectClientName(headers), name, JSON.stringify(headers));
});

test('a session is read from a header, a user id or the body, in this order, and never from an account', () => {
  const asked = (user: string | null) => ({ body: Buffer.from('{}'), members: new Map(), user });
  assert.equal(findSessionId({ 'x-session-id': 'h' }, asked('{"session_id":"u"}')), 'h');
  assert.equal(findSessionId({}, asked('{"session_id":"u","account_uuid":"a"}')), 'u');
  assert.equal(findSessionId({}, asked('user_abc_account_def_session_01234567-89ab')), '01234567-89ab');
  assert.equal(findSessionId({}, asked('account-hash')), null);
  assert.equal(findSessionId({}, asked('{broken')), null);
  assert.equal(findSessionId({}, null), null);
});
