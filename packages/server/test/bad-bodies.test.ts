import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { RawClient } from '@floe/testkit/raw-client';
import { assertErrorAnswer, type ExpectedError } from './assert-error-answer.ts';
import {
  assertHealthy,
  buildChatBody,
  CHAT_COMPLETIONS_PATH,
  GATEWAY_KEYS,
  type RunningGateway,
  startRunningGateway,
} from './running-gateway.ts';

let gateway: RunningGateway;
before(async () => {
  gateway = await startRunningGateway();
});
after(() => gateway.stop());

const auth = { authorization: `Bearer ${GATEWAY_KEYS.full}` };
const BODY = JSON.stringify(buildChatBody());

async function refused(body: string | Buffer, expected: ExpectedError, headers: Record<string, string> = {}) {
  const what = `${JSON.stringify(headers)} ${body.toString('latin1').slice(0, 80)}`;
  const answer = await gateway.call(CHAT_COMPLETIONS_PATH, {
    body,
    method: 'POST',
    headers: { ...auth, ...headers },
  });
  assertErrorAnswer(answer, expected, what);
}

const MALFORMED: readonly (string | Buffer)[] = [
  '',
  ' ',
  '\n',
  '{',
  '}',
  '{{}}',
  '{}{}',
  '[',
  ']',
  '{]',
  '[}',
  'nul',
  'True',
  'NaN',
  'Infinity',
  'undefined',
  '{"model"}',
  '{"model":}',
  '{"model":"a",}',
  '{,"model":"a"}',
  '{"model":"a" "n":1}',
  '{"model" "a"}',
  '{model:"a"}',
  "{'model':'a'}",
  '{"model":"a"}}',
  '{"model":"a"} trailing',
  '{"model":"a"};',
  '// comment\n{}',
  '{/* comment */}',
  '{"model":"a',
  '{"model":"a\\',
  '{"model":"a\\x"}',
  '{"model":"a\\u12"}',
  '{"model":"a\\u12G4"}',
  '{"model":"a\nb"}',
  '{"model":"a\tb"}',
  '{"model":"a\0b"}',
  '\0{}',
  '{"n":01}',
  '{"n":+1}',
  '{"n":.5}',
  '{"n":1.}',
  '{"n":1e}',
  '{"n":1e+}',
  '{"n":0x10}',
  '{"n":--1}',
  '{"n":1_000}',
  '{"n":-}',
  '{"n":[1,]}',
  '{"n":[,1]}',
  '{"n":[1 2]}',
  '{"n":tru}',
  '{"n":truefalse}',
  'model=a&messages=b',
  '<xml/>',
  'data: {"model":"a"}\n\n',
  '\v{}',
  '\u00a0{}',
  '\ufeff{}',
  Buffer.from(`\ufeff${BODY}`, 'utf16le'),
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from('{"model":"\xe9"}', 'latin1'),
  Buffer.from([...Buffer.from('{"a":"'), 0xc0, 0xaf, ...Buffer.from('"}')]),
  Buffer.from([...Buffer.from('{"a":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
  Buffer.from([...Buffer.from('{"a":"'), 0xf4, 0x90, 0x80, 0x80, ...Buffer.from('"}')]),
  `${'['.repeat(513)}${']'.repeat(513)}`,
  `{"a":${'['.repeat(100_000)}`,
  '{"a":'.repeat(100_000),
];

test('every malformed body is a 400 invalid_json, and the process continues', async () => {
  assert.ok(MALFORMED.length >= 40);
  for (const body of MALFORMED) await refused(body, { code: 'invalid_json' });
  await assertHealthy(gateway, 'malformed bodies');
});

test('a body truncated at any byte is invalid_json with the position', async () => {
  for (let length = 0; length < BODY.length; length++)
    await refused(BODY.slice(0, length), {
      code: 'invalid_json',
      message: length === 0 ? /empty/ : /byte \d+, line 1, column \d+/,
    });
  await assertHealthy(gateway, 'truncated bodies');
});

test('a body with the maximum nesting depth is accepted, and one level more is not', async () => {
  const nested = (depth: number) =>
    JSON.stringify(buildChatBody()).replace(/}$/, `,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  const answer = await gateway.call(CHAT_COMPLETIONS_PATH, { body: nested(511), headers: auth });
  assert.equal(answer.status, 200, answer.text);
  await refused(nested(512), { code: 'invalid_json', message: /512|deep/ });
});

const WRONG_FIELDS: readonly (readonly [JsonObject | string, ExpectedError])[] = [
  ['[]', { code: 'invalid_request', message: /object/ }],
  ['null', { code: 'invalid_request' }],
  ['"text"', { code: 'invalid_request' }],
  ['1', { code: 'invalid_request' }],
  ['true', { code: 'invalid_request' }],
  ['{}', { code: 'missing_required_parameter', param: 'model' }],
  ['{"model":"fake/model"}', { code: 'missing_required_parameter', param: 'messages' }],
  ['{"messages":[]}', { code: 'missing_required_parameter', param: 'model' }],
  [{ model: '' }, { code: 'invalid_request', param: 'model' }],
  [{ model: 1 }, { code: 'invalid_request', param: 'model' }],
  [{ model: null }, { code: 'invalid_request', param: 'model' }],
  [{ model: ['fake/model'] }, { code: 'invalid_request', param: 'model' }],
  [{ model: { id: 'fake/model' } }, { code: 'invalid_request', param: 'model' }],
  [{ messages: 'Hello' }, { code: 'invalid_request', param: 'messages' }],
  [{ messages: {} }, { code: 'invalid_request', param: 'messages' }],
  [{ messages: null }, { code: 'invalid_request', param: 'messages' }],
  [{ messages: 1 }, { code: 'invalid_request', param: 'messages' }],
  [{ stream: 'true' }, { code: 'invalid_request', param: 'stream' }],
  [{ stream: 1 }, { code: 'invalid_request', param: 'stream' }],
  [{ stream: {} }, { code: 'invalid_request', param: 'stream' }],
  [{ n: 0 }, { code: 'invalid_request', param: 'n' }],
  [{ n: 1.5 }, { code: 'invalid_request', param: 'n' }],
  [{ n: '2' }, { code: 'invalid_request', param: 'n' }],
  ['{"model":"fake/model","messages":[],"model":"fake/model"}', { code: 'invalid_request', param: 'model' }],
  [
    '{"stream":true,"model":"fake/model","messages":[],"stream":false}',
    { code: 'invalid_request', param: 'stream' },
  ],
  ['{"model":"fake/model","messages":[],"x":1,"x":1}', { code: 'invalid_request', param: 'x' }],
  ['{"mod\\u0065l":"fake/model","messages":[]}', { code: 'invalid_request' }],
  ['{"model":"fake/model","mod\\u0065l":"b","messages":[]}', { code: 'invalid_request' }],
  [
    '{"model":"fake/model","messages":[],"__proto__":{},"__proto__":{}}',
    { code: 'invalid_request', param: '__proto__' },
  ],
  [
    '{"model":"fake/model","input":"Hello"}',
    {
      code: 'unsupported_parameter',
      param: 'input',
      message: /\/gateway\/v1\/responses.*\/gateway\/ide-adapter/,
    },
  ],
];

test('a field that is missing, duplicated, escaped or of the wrong type is a 400 that names it', async () => {
  for (const [body, expected] of WRONG_FIELDS)
    if (typeof body === 'string') await refused(body, expectedOf(body, expected));
    else await refused(JSON.stringify(buildChatBody(body)), expected);
  await assertHealthy(gateway, 'wrong fields');
});

/** An escaped key is named as it was spelled. */
function expectedOf(body: string, expected: ExpectedError): ExpectedError {
  return body.includes('\\u0065') ? { ...expected, param: 'mod\\u0065l', message: /escape/ } : expected;
}

const UNKNOWN_MODELS: readonly (readonly [string, ExpectedError])[] = [
  ['model', { code: 'model_not_found', param: 'model', message: /<provider>\/<model>.*fake, sandbox/ }],
  ['/model', { code: 'model_not_found', param: 'model' }],
  ['fake/', { code: 'model_not_found', param: 'model' }],
  ['/', { code: 'model_not_found', param: 'model' }],
  ['nobody/model', { code: 'model_not_found', param: 'model', message: /"nobody" is not enabled/ }],
  ['FAKE/model', { code: 'model_not_found', param: 'model' }],
  [' fake/model', { code: 'model_not_found', param: 'model' }],
  ['fake/model ', { code: 'model_not_found', param: 'model', message: /allowlist/ }],
  ['fake/Model', { code: 'model_not_found', param: 'model' }],
  ['fake/mode', { code: 'model_not_found', param: 'model' }],
  ['fake/model/with', { code: 'model_not_found', param: 'model' }],
  ['fake/family', { code: 'model_not_found', param: 'model' }],
  ['fake/*', { code: 'model_not_found', param: 'model' }],
  ['__proto__/model', { code: 'model_not_found', param: 'model' }],
  [`fake/${'x'.repeat(100_000)}`, { code: 'model_not_found', param: 'model' }],
  ['fake/model\n', { code: 'model_not_found', param: 'model' }],
  ['fake/модель', { code: 'model_not_found', param: 'model' }],
];

test('a model that is not enabled or not on the allowlist is a 404 on the field model', async () => {
  for (const [model, expected] of UNKNOWN_MODELS)
    await refused(JSON.stringify(buildChatBody({ model })), expected);
  await assertHealthy(gateway, 'unknown models');
});

test('models on the allowlist are served, including slashes and patterns', async () => {
  for (const model of ['model', 'model/with/slashes', 'family-', 'family-a/b', 'family-\u00fc "quoted"'])
    assert.equal((await gateway.chat({ model: `fake/${model}` })).status, 200, model);
});

test('a model that the organization has and the key must not use is a 403 that must not be retried', async () => {
  await refused(
    BODY,
    { code: 'model_not_allowed', param: 'model' },
    { authorization: `Bearer ${GATEWAY_KEYS.narrow}` },
  );
  const allowed = await gateway.chat(
    { model: 'sandbox/echo' },
    { headers: { authorization: `Bearer ${GATEWAY_KEYS.narrow}` } },
  );
  assert.equal(allowed.status, 200);
});

test('content types: JSON in any notation, plain text and none are accepted, and any other is a 415', async () => {
  const read = [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/vnd.api+json',
    'text/plain;charset=UTF-8',
  ];
  for (const type of read) {
    const answer = await gateway.call(CHAT_COMPLETIONS_PATH, {
      body: BODY,
      headers: { ...auth, 'content-type': type },
    });
    assert.equal(answer.status, 200, type);
  }
  assert.equal(
    (await gateway.call(CHAT_COMPLETIONS_PATH, { body: BODY, headers: auth })).status,
    200,
    'no content type',
  );
  const others = [
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/html',
    'application/xml',
    'application/octet-stream',
    'application/jsonp',
    'image/png',
    'json',
    '',
  ];
  for (const type of others)
    await refused(BODY, { code: 'unsupported_media_type' }, { 'content-type': type });
  await assertHealthy(gateway, 'content types');
});

test('a body with a content encoding is a 415, whatever it contains', async () => {
  for (const encoding of ['gzip', 'br', 'zstd', 'deflate', 'x-gzip', 'gzip, gzip', 'identity, gzip'])
    await refused(
      BODY,
      { code: 'unsupported_media_type', message: /uncompressed/ },
      { 'content-encoding': encoding },
    );
  const plain = await gateway.call(CHAT_COMPLETIONS_PATH, {
    body: BODY,
    headers: { ...auth, 'content-encoding': 'identity' },
  });
  assert.equal(plain.status, 200);
});

const PIECE = Buffer.alloc(1 << 16, 'a');
const HUGE_BYTES = 33 << 20;
const TOO_LARGE: readonly (readonly [
  path: string,
  framing: 'content-length' | 'chunked',
  key: string,
  ExpectedError,
])[] = [
  [
    CHAT_COMPLETIONS_PATH,
    'content-length',
    GATEWAY_KEYS.full,
    { code: 'request_too_large', message: /32 MB/ },
  ],
  [CHAT_COMPLETIONS_PATH, 'chunked', GATEWAY_KEYS.full, { code: 'request_too_large', message: /32 MB/ }],
  [CHAT_COMPLETIONS_PATH, 'content-length', 'eis_unknown', { code: 'invalid_api_key' }],
  [
    '/api/management/keys',
    'content-length',
    GATEWAY_KEYS.full,
    { code: 'request_too_large', message: /1 MB/ },
  ],
  ['/api/management/keys', 'chunked', GATEWAY_KEYS.full, { code: 'request_too_large', message: /1 MB/ }],
];

test('a client that sends 33 MB without reading can read the error afterwards', async () => {
  for (const [path, framing, key, expected] of TOO_LARGE) {
    const client = await RawClient.connect(gateway.floe.url);
    const isChunked = framing === 'chunked';
    const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${HUGE_BYTES}`;
    await client.send(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`,
    );
    const piece = isChunked ? Buffer.concat([Buffer.from('10000\r\n'), PIECE, Buffer.from('\r\n')]) : PIECE;
    for (let sent = 0; sent < HUGE_BYTES; sent += PIECE.length) await client.send(piece);
    if (isChunked) await client.send('0\r\n\r\n');
    const answer = await client.readAnswer();
    assertErrorAnswer({ ...answer, text: answer.body.toString() }, expected, `${path} ${framing}`);
    assert.equal(answer.isComplete, true);
    client.hangUp();
  }
  await assertHealthy(gateway, '33 MB bodies');
});

test('a body of nearly 32 MB is accepted and reaches the provider completely', async () => {
  const content = 'x'.repeat((32 << 20) - 200);
  const seen = gateway.upstream.requests.length;
  const answer = await gateway.chat({ messages: [{ role: 'user', content }] });
  assert.equal(answer.status, 200);
  const request = (await gateway.upstream.waitForRequests(seen + 1)).at(-1);
  assert.ok(request && request.body.length > content.length);
});
