// The IDE adapter over real upstreams of every dialect: every shape an IDE sends gets strict Chat back.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { callHttp, type HttpCallOptions } from '@floe/testkit/http-client';
import OpenAI from 'openai';
import { IDE_BODIES } from '../../wire/test/ide-bodies.ts';
import { objectOrEmpty, objectsOrEmpty, parseAnswerContent, TEST_DIALECTS } from './answer-content.ts';
import { type DialectGateway, startDialectGateway } from './dialect-gateway.ts';
import { sampleReply } from './upstream-samples.ts';

let harness: DialectGateway;
let base = '';

before(async () => {
  harness = await startDialectGateway();
  base = harness.url.replace(/\/v1$/, '/ide-adapter');
});
after(() => harness.close());

function ask(path: string, body: JsonObject | undefined, options: HttpCallOptions = {}) {
  const headers = { authorization: `Bearer ${harness.key}`, ...options.headers };
  return callHttp(base + path, { ...(body && { body }), ...options, headers });
}

/** What a chunk of a stream and a whole answer may have, and nothing of a provider's own beside it. */
const CHUNK = new Set(['id', 'object', 'created', 'model', 'choices', 'usage']);
const WHOLE = new Set([...CHUNK, 'system_fingerprint']);
const DELTA = new Set(['role', 'content', 'refusal', 'tool_calls']);
const MESSAGE = new Set([...DELTA, 'annotations']);

function assertOnly(value: JsonObject, members: ReadonlySet<string>): void {
  assert.deepEqual(
    Object.keys(value).filter((name) => !members.has(name)),
    [],
  );
}

/** The text of a stream that keeps every rule of the dialect. */
function textOfStrict(text: string, model: string): string {
  const lines = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  assert.equal(lines.at(-1), 'data: [DONE]');
  const chunks = lines.slice(0, -1).map((line) => objectOrEmpty(JSON.parse(line.replace(/^data: /, ''))));
  for (const chunk of chunks) assertOnly(chunk, CHUNK);
  for (const name of ['id', 'created', 'model'])
    assert.equal(new Set(chunks.map((chunk) => chunk[name])).size, 1, name);
  assert.equal(chunks[0]?.['model'], model);
  const choices = chunks.flatMap((chunk) => objectsOrEmpty(chunk['choices']));
  const deltas = choices.map((choice) => objectOrEmpty(choice['delta']));
  for (const delta of deltas) assertOnly(delta, DELTA);
  assert.equal(deltas[0]?.['role'], 'assistant');
  assert.equal(deltas.filter((delta) => 'role' in delta).length, 1);
  const finishes = choices.map((choice) => choice['finish_reason']).filter((finish) => finish !== null);
  assert.equal(finishes.length, 1);
  return deltas.map((delta) => delta['content'] ?? '').join('');
}

for (const dialect of TEST_DIALECTS)
  describe(`over ${dialect}`, () => {
    for (const [at, { name, body }] of IDE_BODIES.entries())
      test(name, async () => {
        const model = `${dialect}/m-1`;
        for (const stream of [true, false]) {
          const reply = sampleReply(dialect, 'thinking', stream);
          harness.setReply(dialect, reply);
          const before = harness.upstream(dialect).requests.length;
          const answer = await ask('/chat/completions', { model, stream, ...body });
          assert.equal(answer.status, 200, answer.text);
          const said = parseAnswerContent(dialect, reply.body, stream);
          const whole = stream ? {} : objectOrEmpty(answer.json());
          assertOnly(whole, WHOLE);
          const message = objectOrEmpty(objectsOrEmpty(whole['choices'])[0]?.['message']);
          assertOnly(message, MESSAGE);
          assert.equal(stream ? textOfStrict(answer.text, model) : message['content'], said.text);
          assert.doesNotMatch(answer.text, /reasoning_content|"thinking"/);
          const received = harness.lastRequest(dialect).body.toString('utf8');
          assert.equal(harness.upstream(dialect).requests.length, before + 1);
          assert.doesNotMatch(received, /account-7.*prompt_cache_key|cursor(?:Conv|Req)|"index":[01]/);
          // Every row costs a question or several: one of each form and dialect tells.
          if (at > 0) continue;
          const row = await harness.row(answer.headers['x-request-id'] ?? '');
          assert.deepEqual([row['route_mode'], row['surface'], row['state']], ['ide', 'chat', 'complete']);
          assert.deepEqual([row['model_requested'], row['provider'], row['model']], [model, dialect, 'm-1']);
        }
      });
  });

describe('the official client', () => {
  for (const dialect of TEST_DIALECTS)
    test(`reads responses over ${dialect}, including calls`, async () => {
      const openai = new OpenAI({ baseURL: base, apiKey: `sk-${harness.key}`, maxRetries: 0 });
      for (const isStream of [true, false]) {
        const reply = sampleReply(dialect, 'parallel-tools', isStream);
        harness.setReply(dialect, reply);
        const said = parseAnswerContent(dialect, reply.body, isStream);
        const tools = said.calls.map(({ name }) => ({ type: 'function' as const, function: { name } }));
        const body = { model: `${dialect}/m-1`, messages: [{ role: 'user' as const, content: 'go' }], tools };
        const completion = isStream
          ? await openai.chat.completions.stream(body).finalChatCompletion()
          : await openai.chat.completions.create(body);
        const [choice] = completion.choices;
        assert.equal(choice?.finish_reason, 'tool_calls');
        const calls = (choice.message.tool_calls ?? []).map((one) => {
          assert.ok(one.type === 'function');
          return [one.function.name, JSON.parse(one.function.arguments)];
        });
        assert.deepEqual(
          calls,
          said.calls.map((one) => [one.name, JSON.parse(one.arguments || '{}')]),
        );
      }
    });

  test('lists the models that this key may use, with their full ids', async () => {
    const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey: harness.key });
    const ids: string[] = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    const listed = TEST_DIALECTS.flatMap((dialect) => [`${dialect}/m-1`, `${dialect}/gpt-5.5`]);
    assert.deepEqual(ids.sort(), listed.sort());
  });
});

const BODY = { model: 'chat/m-1', input: 'Say hi.' };

describe('paths', () => {
  const chatPaths = [
    '/chat/completions',
    '/v1/chat/completions',
    '/chat/completions/',
    '//chat/completions',
    '//v1/chat/completions',
    '/chat/completions?api-version=2025-01-01',
  ];
  for (const path of chatPaths)
    test(`POST ${path} is Chat`, async () => {
      harness.setReply('chat', sampleReply('chat', 'text', false));
      assert.equal((await ask(path, BODY)).status, 200);
    });

  for (const deployment of ['messages%2Fm-1', 'messages/m-1'])
    test(`a deployment "${deployment}" in the path is the model, whatever the body contains`, async () => {
      harness.setReply('messages', sampleReply('messages', 'text', false));
      const path = `/openai/deployments/${deployment}/chat/completions?api-version=2024-10-21`;
      const headers = { 'api-key': harness.key, authorization: '' };
      for (const body of [{ input: 'Say hi.' }, { ...BODY, model: 'gpt-4o' }]) {
        const answer = await callHttp(base + path, { body, headers: { 'api-key': headers['api-key'] } });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.headers['x-floe-provider'], 'messages');
      }
    });

  for (const path of ['/models', '/v1/models', '/v1/models/'])
    test(`GET ${path} is the list`, async () => {
      const answer = await ask(path, undefined);
      assert.equal(objectOrEmpty(answer.json())['object'], 'list');
    });

  for (const path of ['', '/', '/v1', '/responses', '/v2/chat/completions'])
    test(`POST "${path}" is a 404 in the OpenAI format with the right path`, async () => {
      const answer = await ask(path, BODY);
      assert.equal(answer.status, 404);
      const error = objectOrEmpty(objectOrEmpty(answer.json())['error']);
      assert.equal(error['code'], 'not_found');
      assert.match(String(error['message']), /ide-adapter\/chat\/completions/);
    });

  test('a wrong method is a 405 that names the right one', async () => {
    const answer = await ask('/chat/completions', undefined);
    assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST']);
  });
});

describe('a browser-based IDE', () => {
  test('has its preflight request answered without a key', async () => {
    for (const path of ['/chat/completions', '/v1/models']) {
      const wanted = 'authorization, content-type, x-stainless-os';
      const answer = await callHttp(base + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'vscode-file://vscode-app',
          'access-control-request-method': 'POST',
          'access-control-request-headers': wanted,
        },
      });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers['access-control-allow-origin'], '*');
      assert.equal(answer.headers['access-control-allow-headers'], wanted);
      assert.equal(answer.headers['content-length'], undefined);
    }
  });

  test('can read every response, including errors and streams', async () => {
    harness.setReply('chat', sampleReply('chat', 'text', true));
    const answers = [
      await ask('/chat/completions', { ...BODY, stream: true }),
      await ask('/chat/completions', { model: 'nobody/m', input: 'hi' }),
      await ask('/models', undefined, { headers: { authorization: 'Bearer eis_wrong' } }),
      await ask('/nothing', undefined),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 404, 401, 404],
    );
    for (const { headers } of answers) assert.equal(headers['access-control-allow-origin'], '*');
  });
});

test('a body without a valid request is a 400 that names its field', async () => {
  const cases: readonly (readonly [JsonObject, string])[] = [
    [{ model: 'chat/m-1' }, 'messages'],
    [{ input: 'hi' }, 'model'],
    [
      { ...BODY, input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] },
      'input[0].content[0]',
    ],
    [
      {
        ...BODY,
        model: 'responses/m-1',
        input: [
          {
            role: 'user',
            content: ['x', { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }],
          },
        ],
      },
      'input[0].content[1]',
    ],
  ];
  for (const [body, param] of cases) {
    const answer = await ask('/chat/completions', body);
    assert.equal(answer.status, 400, answer.text);
    assert.equal(objectOrEmpty(objectOrEmpty(answer.json())['error'])['param'], param);
  }
  const twice = await ask('/chat/completions', undefined, {
    method: 'POST',
    body: '{"model":"chat/m-1","model":"x","input":"hi"}',
  });
  assert.equal(twice.status, 400);
});

test('the unified surface still rejects what only the adapter accepts', async () => {
  const answer = await callHttp(`${harness.url}/chat/completions`, {
    body: BODY,
    headers: { authorization: `Bearer ${harness.key}` },
  });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /\/gateway\/ide-adapter/);
});

test('unknown fields are listed in a header without their values', async () => {
  harness.setReply('chat', sampleReply('chat', 'text', false));
  const answer = await ask('/chat/completions', {
    ...BODY,
    future_member: 'Tr0ub4dor',
    tools: [{ type: 'web_search' }],
  });
  const dropped = (answer.headers['x-floe-dropped'] ?? '').split(',');
  for (const name of ['future_member', 'tools.web_search']) assert.ok(dropped.includes(name), dropped.join());
  assert.ok(isJsonObject(answer.json()) && !JSON.stringify(answer.headers).includes('Tr0ub4dor'));
});

test('a stored turn of the Responses surface can be continued, and an unknown one requires the history in the body', async () => {
  const openai = new OpenAI({ baseURL: harness.url, apiKey: harness.key, maxRetries: 0 });
  harness.setReply('chat', sampleReply('chat', 'text', false));
  const stored = await openai.responses.create({ model: 'chat/m-1', input: 'The first question.' });
  const next = { model: 'messages/m-1', input: [{ role: 'user', content: 'And now?' }] };
  harness.setReply('messages', sampleReply('messages', 'text', false));
  const answer = await ask('/chat/completions', { ...next, previous_response_id: stored.id });
  assert.equal(answer.status, 200, answer.text);
  const sent = harness.lastRequest('messages').body.toString('utf8');
  assert.match(sent, /The first question\..*"assistant".*And now\?/s);
  const unknown = await ask('/chat/completions', { ...next, previous_response_id: 'resp_unknown' });
  assert.equal(objectOrEmpty(objectOrEmpty(unknown.json())['error'])['code'], 'previous_response_not_found');
});
