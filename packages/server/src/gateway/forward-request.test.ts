import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProvider } from '../providers/configured-provider.ts';
import { chatProviderDefaults, type ProviderDefinition } from '../providers/provider-definition.ts';
import { parseClientRequest } from './client-request.ts';
import { buildForwardedRequest } from './forward-request.ts';
import { CHAT_SURFACE } from './surface.ts';

function definition(usage: ProviderDefinition['streamUsage']): ProviderDefinition {
  return {
    ...chatProviderDefaults,
    kind: 'plain',
    name: 'Plain',
    keyVariables: [],
    streamUsage: usage,
    docs: '',
    checked: '',
  };
}

const TIMEOUTS = { connectMs: 1, headersMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 };

function forward(
  body: string,
  usage: ProviderDefinition['streamUsage'] = 'ask',
  extra: Record<string, string> = {},
) {
  const provider = createProvider({
    id: 'up',
    definition: definition(usage),
    baseUrl: 'http://127.0.0.1:9/base/v1',
    credentials: [{ name: 'main', secret: 'secret', weight: 1 }],
    models: ['*'],
    headers: { 'X-Extra': 'yes' },
    body: extra,
    timeouts: TIMEOUTS,
  });
  const prompt = parseClientRequest(CHAT_SURFACE, Buffer.from(body));
  const target = {
    provider,
    model: 'vendor/m',
    credential: provider.nextCredential(),
    timeouts: TIMEOUTS,
    weight: 1,
  };
  const clientHeaders = { authorization: 'Bearer eis_x', 'openai-beta': 'b=1', cookie: 'c' };
  const { request, dropUsageFrame } = buildForwardedRequest(prompt, target, CHAT_SURFACE, {
    headers: clientHeaders,
    query: '',
  });
  return { text: request.body?.toString('utf8'), request, usageFrameIsOurs: dropUsageFrame };
}

test('all bytes except the model reach the provider: unknown fields, large integers, unusual spacing', () => {
  const body = (model: string) =>
    `  {\n\t"z" : 9007199254740993 , "model":${model} ,"messages" : [ {"role":"user","content":"\\u00e9 \\/ é 😀"} ],\r\n"x":{"model":"up/inner"},"f":1.0, "e":1E5 } \n`;
  assert.equal(forward(body('"up/vendor/m"')).text, body('"vendor/m"'));
});

test('a stream without usage requests it, and the additional frame is not sent to the client', () => {
  const { text, usageFrameIsOurs } = forward('{"model":"up/m","stream":true,"messages":[]}');
  assert.deepEqual(JSON.parse(text ?? ''), {
    model: 'vendor/m',
    stream: true,
    messages: [],
    stream_options: { include_usage: true },
  });
  assert.equal(usageFrameIsOurs, true);
});

test('stream options of the client are extended and not replaced', () => {
  for (const [given, sent] of [
    ['{}', { include_usage: true }],
    ['{"include_usage":false}', { include_usage: true }],
    ['{"include_obfuscation":false}', { include_usage: true, include_obfuscation: false }],
    ['null', { include_usage: true }],
  ] as const) {
    const { text } = forward(`{"model":"up/m","stream":true,"stream_options":${given},"messages":[]}`);
    assert.deepEqual(JSON.parse(text ?? '').stream_options, sent);
  }
});

test('usage that the client requested is sent to the client', () => {
  const body = '{"model":"vendor/m","stream":true,"stream_options":{"include_usage":true},"messages":[]}';
  const { text, usageFrameIsOurs } = forward(body.replace('vendor/m', 'up/m'));
  assert.deepEqual([text, usageFrameIsOurs], [body, false]);
});

test('nothing is added if the provider always sends usage or rejects the option, or without a stream', () => {
  const stream = '{"model":"vendor/m","stream":true,"messages":[]}';
  for (const usage of ['given', 'forbidden'] as const)
    assert.equal(forward(stream.replace('vendor/m', 'up/m'), usage).text, stream);
  const whole = '{"model":"vendor/m","messages":[]}';
  assert.equal(forward(whole.replace('vendor/m', 'up/m')).text, whole);
});

test("the operator's body fields are set and take precedence", () => {
  const { text } = forward('{"model":"up/m","messages":[],"seed":1}', 'given', {
    seed: '7',
    extra: '{"a":[1]}',
  });
  assert.deepEqual(JSON.parse(text ?? ''), { model: 'vendor/m', messages: [], seed: 7, extra: { a: [1] } });
});

test("the operator's body fields also replace the fields that Floe sets", () => {
  const options = { stream_options: '{"include_usage":true}', model: '"fixed"' };
  for (const given of ['', '"stream_options":{"include_obfuscation":false},']) {
    const { text, usageFrameIsOurs } = forward(
      `{"model":"up/m","stream":true,${given}"messages":[]}`,
      'ask',
      options,
    );
    const members = text?.match(/"(?:model|stream_options)":/g);
    assert.deepEqual(members?.sort(), ['"model":', '"stream_options":']);
    assert.deepEqual(JSON.parse(text ?? ''), {
      model: 'fixed',
      stream: true,
      stream_options: { include_usage: true },
      messages: [],
    });
    assert.equal(usageFrameIsOurs, true, 'the client did not request usage');
  }
});

test("the caller's key and cookies are removed; the provider's credential and the operator's headers are added", () => {
  const { headers, path } = forward('{"model":"up/m","messages":[]}').request;
  const sent = new Map<string, string>();
  for (let i = 0; i < headers.length; i += 2) sent.set(headers[i] ?? '', headers[i + 1] ?? '');
  assert.equal(path, '/base/v1/chat/completions');
  assert.equal(sent.get('authorization'), 'Bearer secret');
  assert.equal(sent.get('x-extra'), 'yes');
  assert.equal(sent.get('openai-beta'), 'b=1');
  assert.equal(sent.has('cookie'), false);
  assert.ok(!headers.join().includes('eis_'));
});
