import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callHttp } from '@floe/testkit/http-client';
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

type Headers = Readonly<Record<string, string | string[]>>;
const OTHER = `eis_other${'0'.repeat(40)}`;

const CREDENTIALS: readonly (readonly [what: string, headers: Headers, expected: ExpectedError | 200])[] = [
  ['authorization', { authorization: `Bearer ${GATEWAY_KEYS.full}` }, 200],
  ['a scheme in lower case and spaces', { authorization: `bearer   ${GATEWAY_KEYS.full}` }, 200],
  ['x-api-key', { 'x-api-key': GATEWAY_KEYS.full }, 200],
  ['api-key', { 'api-key': GATEWAY_KEYS.full }, 200],
  ['x-floe-key', { 'x-floe-key': GATEWAY_KEYS.full }, 200],
  ['sk- before the key', { authorization: `Bearer sk-${GATEWAY_KEYS.full}` }, 200],
  ['sk- before the key in x-api-key', { 'x-api-key': `sk-${GATEWAY_KEYS.full}` }, 200],
  [
    'the same key twice',
    { authorization: `Bearer ${GATEWAY_KEYS.full}`, 'x-api-key': `sk-${GATEWAY_KEYS.full}` },
    200,
  ],
  [
    'another credential beside it',
    { authorization: 'Bearer sk-live-1', 'x-floe-key': GATEWAY_KEYS.full },
    200,
  ],
  ['nothing', {}, { code: 'missing_api_key' }],
  ['an empty bearer', { authorization: 'Bearer ' }, { code: 'missing_api_key' }],
  ['an empty header', { 'x-api-key': '' }, { code: 'missing_api_key' }],
  ['the wrong scheme', { authorization: `Basic ${GATEWAY_KEYS.full}` }, { code: 'missing_api_key' }],
  ['no scheme', { authorization: GATEWAY_KEYS.full }, { code: 'missing_api_key' }],
  ['a provider key', { authorization: 'Bearer sk-abcdef' }, { code: 'missing_api_key' }],
  [
    'capital letters',
    { authorization: `Bearer ${GATEWAY_KEYS.full.toUpperCase()}` },
    { code: 'missing_api_key' },
  ],
  ['an unknown key', { authorization: `Bearer ${OTHER}` }, { code: 'invalid_api_key' }],
  ['a key cut short', { 'x-api-key': GATEWAY_KEYS.full.slice(0, -1) }, { code: 'invalid_api_key' }],
  ['a key with more behind it', { 'x-api-key': `${GATEWAY_KEYS.full}0` }, { code: 'invalid_api_key' }],
  ['only the prefix', { 'x-api-key': 'eis_' }, { code: 'invalid_api_key' }],
  ['12 KB of key', { 'x-api-key': `eis_${'a'.repeat(12_000)}` }, { code: 'invalid_api_key' }],
  [
    'two different keys',
    { authorization: `Bearer ${GATEWAY_KEYS.full}`, 'x-api-key': GATEWAY_KEYS.narrow },
    { code: 'invalid_api_key', message: /two different/ },
  ],
  [
    'two keys in one header',
    { 'x-api-key': [GATEWAY_KEYS.full, GATEWAY_KEYS.narrow] },
    { code: 'invalid_api_key' },
  ],
  [
    'two authorization headers',
    { authorization: [`Bearer ${GATEWAY_KEYS.full}`, `Bearer ${GATEWAY_KEYS.narrow}`] },
    { code: 'invalid_api_key' },
  ],
  ['an expired key', { 'x-api-key': GATEWAY_KEYS.expired }, { code: 'key_expired', message: /2020-01-01/ }],
  [
    'a key without the scope',
    { 'x-api-key': GATEWAY_KEYS.monitoring },
    { code: 'insufficient_scope', message: /"gateway"/ },
  ],
];

test('a platform key is accepted in each of its headers, and other values have different errors', async () => {
  const body = buildChatBody({ model: 'sandbox/echo' });
  for (const [what, headers, expected] of CREDENTIALS)
    for (const path of [CHAT_COMPLETIONS_PATH, '/gateway/v1/models', '/gateway/v1/key']) {
      const answer = await callHttp(
        gateway.floe.url + path,
        path === CHAT_COMPLETIONS_PATH ? { headers, body } : { headers },
      );
      if (expected === 200) assert.equal(answer.status, 200, `${what}: ${answer.text}`);
      else assertErrorAnswer(answer, expected, `${what} on ${path}`);
    }
  await assertHealthy(gateway, 'credentials');
});

test('no response and no log line contains a key', async () => {
  const output = gateway.floe.output();
  for (const [, headers] of CREDENTIALS) {
    const answer = await callHttp(`${gateway.floe.url}/gateway/v1/key`, { headers });
    for (const key of [...Object.values(GATEWAY_KEYS), OTHER]) {
      assert.ok(!answer.text.includes(key));
      assert.ok(!output.includes(key));
    }
  }
});

test('without a valid key, a 401 comes before every other error', async () => {
  for (const body of ['', '{', '{"model":"nobody/x"}'])
    assertErrorAnswer(
      await callHttp(gateway.floe.url + CHAT_COMPLETIONS_PATH, {
        method: 'POST',
        body,
        headers: { 'content-type': 'image/png' },
      }),
      { code: 'missing_api_key' },
      body,
    );
});

const CONTROLS: readonly (readonly [name: string, value: string, expected: ExpectedError | 200])[] = [
  ['x-floe-metadata', '{"project":"a"}', 200],
  ['x-floe-metadata', '{}', 200],
  ['x-floe-metadata', '', { code: 'invalid_request', param: 'x-floe-metadata' }],
  ['x-floe-metadata', '{', { code: 'invalid_request', param: 'x-floe-metadata' }],
  ['x-floe-metadata', '[]', { code: 'invalid_request', param: 'x-floe-metadata' }],
  ['x-floe-metadata', 'null', { code: 'invalid_request', param: 'x-floe-metadata' }],
  ['x-floe-metadata', '"text"', { code: 'invalid_request', param: 'x-floe-metadata' }],
  ['x-floe-metadata', 'project=a', { code: 'invalid_request', param: 'x-floe-metadata' }],
  [
    'x-floe-metadata',
    `{"a":"${'x'.repeat(2048)}"}`,
    { code: 'invalid_request', param: 'x-floe-metadata', message: /2 KB/ },
  ],
  ['x-floe-timeout-ms', '60000', 200],
  ['x-floe-timeout-ms', '0', { code: 'invalid_request', param: 'x-floe-timeout-ms' }],
  ['x-floe-timeout-ms', '-1', { code: 'invalid_request', param: 'x-floe-timeout-ms' }],
  ['x-floe-timeout-ms', '1.5', { code: 'invalid_request', param: 'x-floe-timeout-ms' }],
  ['x-floe-timeout-ms', '1e400', { code: 'invalid_request', param: 'x-floe-timeout-ms' }],
  ['x-floe-timeout-ms', 'soon', { code: 'invalid_request', param: 'x-floe-timeout-ms' }],
  ['x-floe-timeout-ms', '', { code: 'invalid_request', param: 'x-floe-timeout-ms' }],
  ['x-floe-timeout-ms', '5s', { code: 'invalid_request', param: 'x-floe-timeout-ms' }],
];

test('request headers that control the gateway are applied or rejected by name', async () => {
  for (const [name, value, expected] of CONTROLS) {
    const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}`, [name]: value };
    const answer = await gateway.chat({ model: 'sandbox/echo' }, { headers });
    if (expected === 200) assert.equal(answer.status, 200, `${name}: ${value}: ${answer.text}`);
    else assertErrorAnswer(answer, expected, `${name}: ${value}`);
  }
  await assertHealthy(gateway, 'request controls');
});

test('metadata of a request is in its row', async () => {
  const headers = {
    authorization: `Bearer ${GATEWAY_KEYS.full}`,
    'x-floe-metadata': '{"project":"polar","n":7}',
  };
  const answer = await gateway.chat({ model: 'sandbox/echo' }, { headers });
  const row = await gateway.row(answer.headers['x-request-id']);
  assert.deepEqual(row.metadata, { project: 'polar', n: 7 });
});

const WRONG_METHODS: readonly (readonly [path: string, allow: string])[] = [
  [CHAT_COMPLETIONS_PATH, 'POST'],
  ['/gateway/v1/models', 'GET, HEAD'],
  ['/gateway/v1/models/fake/model', 'GET, HEAD'],
  ['/gateway/v1/key', 'GET, HEAD'],
  ['/healthz', 'GET, HEAD'],
  ['/readyz', 'GET, HEAD'],
  ['/metrics', 'GET, HEAD'],
  ['/', 'GET, HEAD'],
  ['/api/me', 'GET, HEAD, PATCH'],
  ['/api/openapi.json', 'GET, HEAD'],
  ['/api/analytics/requests', 'GET, HEAD'],
];

test('a wrong method is a 405 that lists the allowed ones', async () => {
  for (const [path, allow] of WRONG_METHODS)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (allow.includes(method)) continue;
      const body = method === 'POST' || method === 'PUT' ? { body: '{}' } : {};
      const answer = await gateway.call(path, { method, ...body });
      assertErrorAnswer(answer, { code: 'method_not_allowed' }, `${method} ${path}`);
      assert.equal(answer.headers['allow'], allow, `${method} ${path}`);
    }
  await assertHealthy(gateway, 'wrong methods');
});

test('HEAD responds like GET without a body', async () => {
  for (const path of ['/gateway/v1/models', '/gateway/v1/key', '/healthz', '/readyz', '/', '/api/me']) {
    const answer = await gateway.call(path, { method: 'HEAD' });
    assert.equal(answer.status, 200, path);
    assert.equal(answer.text, '');
  }
});

const UNKNOWN_PATHS: readonly (readonly [path: string, shape: 'openai' | 'anthropic'])[] = [
  ['/gateway', 'openai'],
  ['/gateway/', 'openai'],
  ['/gateway/v1', 'openai'],
  ['/gateway/v1/nothing', 'openai'],
  ['/gateway/v1/chat', 'openai'],
  ['/gateway/v1/chat/completions/x', 'openai'],
  ['/gateway/v1/completions/x', 'openai'],
  ['/gateway/v2/chat/completions', 'openai'],
  ['/v1/chat/completions', 'openai'],
  ['/gateway/v1/messages/nothing', 'anthropic'],
  ['/gateway/passthrough-b/v1/nothing', 'anthropic'],
  ['/gateway/passthrough-a/v1/nothing', 'openai'],
  ['/gateway/ide-adapter/nothing', 'openai'],
  ['/relay', 'openai'],
  ['/relay/v1/nothing', 'openai'],
  ['/api', 'openai'],
  ['/api/', 'openai'],
  ['/api/nothing', 'openai'],
  ['/api/management/nothing', 'openai'],
  ['/api/management/keys/a/b', 'openai'],
  ['/apis', 'openai'],
  ['/favicon.ico', 'openai'],
  ['/index.html', 'openai'],
  ['/.env', 'openai'],
  ['//api/management/keys', 'openai'],
  ['//gateway//v1/nothing', 'openai'],
  ['//gateway/v1//messages/nothing', 'anthropic'],
  ['/gateway%2fv1%2fmodels', 'openai'],
  ['/gateway/v1/models%00', 'openai'],
  ['/GATEWAY/V1/MODELS', 'openai'],
  ['/gateway/v1/models;x=1', 'openai'],
  ['/%', 'openai'],
  ['/%zz', 'openai'],
  ['/%c3%28', 'openai'],
];

test('a duplicate or missing /v1 in the base URL is answered with the base URL of each kind of client', async () => {
  for (const path of ['/gateway/v1/v1/messages', '/gateway/chat/completions']) {
    const answer = await gateway.call(path, { method: 'POST', body: '{}' });
    assert.equal(answer.status, 404);
    assert.match(answer.text, /\/gateway\/v1 for OpenAI clients, and in \/gateway for Anthropic SDKs/);
  }
});

test('an unknown path is a JSON 404 in the dialect of its base path, for every method', async () => {
  for (const [path, shape] of UNKNOWN_PATHS)
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await gateway.call(path, method === 'POST' ? { method, body: '{}' } : { method });
      assertErrorAnswer(answer, { code: 'not_found', shape }, `${method} ${path}`);
    }
  await assertHealthy(gateway, 'unknown paths');
});

test('a model id in a path can be encoded, and one that cannot be decoded is unknown', async () => {
  for (const path of ['sandbox/echo', 'sandbox%2Fecho', 'sandbox%2fech%6f'])
    assert.equal((await gateway.call(`/gateway/v1/models/${path}`)).status, 200, path);
  for (const path of ['sandbox/nothing', '%', '%zz', 'sandbox%2', '%c3%28', 'nobody/x', 'sandbox%252Fecho'])
    assertErrorAnswer(
      await gateway.call(`/gateway/v1/models/${path}`),
      { code: 'model_not_found', param: 'model' },
      path,
    );
  assertErrorAnswer(await gateway.call('/api/%zz'), { code: 'invalid_request' }, 'a path of the API');
});

test('invalid input to the API is rejected in the same format', async () => {
  const keys = '/api/management/keys';
  const auth = { authorization: `Bearer ${GATEWAY_KEYS.full}`, 'content-type': 'application/json' };
  const post = (body: string, headers: Record<string, string> = {}) =>
    gateway.call(keys, { method: 'POST', body, headers: { ...auth, ...headers } });
  assertErrorAnswer(await post('{'), { code: 'invalid_json' }, 'malformed');
  assertErrorAnswer(
    await post('{}', { 'content-type': 'text/html' }),
    { code: 'unsupported_media_type' },
    'a content type',
  );
  assertErrorAnswer(
    await post('{"name":"x","scopes":["gateway"],"nam":1}'),
    { code: 'invalid_request', param: 'nam' },
    'an unknown field',
  );
  assertErrorAnswer(await gateway.call(keys, { headers: {} }), { code: 'missing_api_key' }, 'no key');
  assertErrorAnswer(
    await gateway.call(keys, { headers: { 'x-api-key': GATEWAY_KEYS.narrow } }),
    { code: 'insufficient_scope' },
    'a scope',
  );
  assertErrorAnswer(
    await gateway.call(`${keys}/${'k'.repeat(500)}`),
    { code: 'not_found' },
    'an id beyond all length',
  );
  assertErrorAnswer(
    await gateway.call(`${keys}?limit=0`),
    { code: 'invalid_request', param: 'limit' },
    'a query',
  );
  await assertHealthy(gateway, 'bad input to the API');
});
