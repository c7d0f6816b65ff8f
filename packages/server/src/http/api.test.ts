import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { silentLog } from '../core/log.ts';
import { createFileDownloadSchema, FileDownload } from '../management/file-download.ts';
import { defineReadOperation } from '../management/operation.ts';
import { type RunningApi, runApi } from './test/running-api.ts';

const logged: { fields: object; message: string }[] = [];
const failing = defineReadOperation({
  name: 'test.fail',
  method: 'GET',
  path: '/api/test/{how}',
  scope: null,
  summary: 'Fails as asked.',
  params: z.strictObject({ how: z.string() }),
  answer: z.null(),
  async run(_context, { params }) {
    if (params.how === 'bug') throw new TypeError('secret detail of a bug');
    throw new Fault('overloaded', 'Too much at once.', params.how === 'later' ? { retryAfterMs: 2500 } : {});
  },
});

let readChunks = 0;
async function* countedChunks() {
  for (let n = 0; n < 1_000; n++) {
    readChunks += 1;
    yield 'x'.repeat(1_000);
  }
}
const downloading = defineReadOperation({
  name: 'test.download',
  method: 'GET',
  path: '/api/test/download/all',
  scope: null,
  summary: 'Sends a file.',
  answer: createFileDownloadSchema('text/csv'),
  run: async () => new FileDownload('text/csv', 'all.csv', countedChunks()),
});

let api: RunningApi;
let key: string;
before(async () => {
  const log = {
    ...silentLog,
    error: (fields: object, message: string) => void logged.push({ fields, message }),
  };
  api = await runApi({ log, operations: [failing, downloading] });
  key = (await api.addKey('acme')).key;
});
after(() => api.close());

const refusal = async (method: string, path: string, call: Parameters<RunningApi['call']>[2] = {}) => {
  const { status, headers, body } = await api.call(method, path, { key, ...call });
  assert.equal(headers['x-request-id'], body.request_id);
  assert.equal(headers['x-floe-error-source'], 'gateway');
  return [status, body.error?.code, body.error?.param];
};

test('a body must be JSON in UTF-8 with the right content type, and at most 1 MB', async () => {
  const path = '/api/management/keys';
  assert.deepEqual(await refusal('POST', path, { raw: '{"name":' }), [400, 'invalid_json', null]);
  assert.deepEqual(await refusal('POST', path, { raw: Buffer.from([0x22, 0xff, 0x22]) }), [
    400,
    'invalid_json',
    null,
  ]);
  assert.deepEqual(await refusal('POST', path, { raw: Buffer.alloc((1 << 20) + 1, ' ') }), [
    413,
    'request_too_large',
    null,
  ]);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    assert.deepEqual(await refusal('POST', path, { raw: 'a=b', headers: { 'content-type': type } }), [
      415,
      'unsupported_media_type',
      null,
    ]);
  assert.deepEqual(await refusal('POST', path), [400, 'invalid_request', null]);
});

test('an invalid field is reported with its path', async () => {
  const path = '/api/management/keys';
  const body = { name: 'x', scopes: ['read'] };
  const table: readonly [object, string][] = [
    [{ scopes: ['read'] }, 'name'],
    [{ ...body, name: 7 }, 'name'],
    [{ ...body, scopes: [] }, 'scopes'],
    [{ ...body, scopes: ['read', 'root'] }, 'scopes[1]'],
    [{ ...body, models: [''] }, 'models[0]'],
    [{ ...body, expires_at: 'tomorrow' }, 'expires_at'],
    [{ ...body, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ ...body, id: 'key_1' }, 'id'],
    [{ ...body, revoked_at: null }, 'revoked_at'],
  ];
  for (const [sent, param] of table)
    assert.deepEqual(await refusal('POST', path, { body: sent }), [400, 'invalid_request', param]);
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=x', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['unknown=1', 'unknown'],
  ])
    assert.deepEqual(await refusal('GET', `${path}?${query}`), [400, 'invalid_request', param]);
});

test('an unknown path is a JSON 404, and a wrong method a 405 that lists the allowed ones', async () => {
  for (const path of ['/api', '/api/', '/api/nothing', '/api/management/keys/', '/api/Me'])
    assert.deepEqual(await refusal('GET', path), [404, 'not_found', null]);
  assert.deepEqual(
    await refusal('POST', '/api/nothing', { raw: 'x', headers: { 'content-type': 'text/plain' } }),
    [404, 'not_found', null],
  );
  assert.deepEqual(await refusal('GET', `/api/management/keys/${'x'.repeat(300)}`), [404, 'not_found', null]);
  assert.deepEqual(await refusal('GET', '/api/%zz'), [400, 'invalid_request', null]);
  for (const [method, path, allow] of [
    ['PUT', '/api/management/keys', 'GET, HEAD, POST'],
    ['POST', '/api/management/keys/key_1', 'GET, HEAD, PATCH, PUT, DELETE'],
    ['OPTIONS', '/api/me', 'GET, HEAD, PATCH'],
    ['DELETE', '/api/openapi.json', 'GET, HEAD'],
  ] as const) {
    assert.deepEqual(await refusal(method, path, { key: '' }), [405, 'method_not_allowed', null]);
    assert.equal((await api.call(method, path)).headers.allow, allow);
  }
});

test('HEAD of a download does not read the file', async () => {
  const path = '/api/test/download/all';
  const head = await api.call('HEAD', path, { key });
  // Another request, so that reading after the response would have started.
  await api.call('GET', '/api/me', { key });
  assert.deepEqual([head.status, head.text, readChunks], [200, '', 0]);
  const full = await api.call('GET', path, { key });
  assert.deepEqual([full.text.length, readChunks], [1_000_000, 1_000]);
  for (const name of ['content-type', 'content-disposition', 'x-content-type-options'])
    assert.equal(head.headers[name], full.headers[name], name);
});

test('HEAD responds like GET without the body, also for 401', async () => {
  const head = await api.call('HEAD', '/api/me', { key });
  assert.deepEqual([head.status, head.text], [200, '']);
  assert.equal((await api.call('HEAD', '/api/me')).status, 401);
});

test('the OpenAPI document needs no key, and caches store nothing under /api', async () => {
  const answer = await api.call('GET', '/api/openapi.json');
  assert.equal(answer.status, 200);
  assert.equal(answer.body.info?.version, '0.0.0-test');
  for (const path of ['/api/openapi.json', '/api/me', '/api/nothing'])
    assert.equal((await api.call('GET', path, { key })).headers['cache-control'], 'no-store');
});

test('a defect returns 500 with only the request id, and the log has the details', async () => {
  logged.length = 0;
  const answer = await api.call('GET', '/api/test/bug', { key });
  assert.equal(answer.status, 500);
  assert.equal(answer.body.error?.code, 'internal_error');
  assert.doesNotMatch(answer.text, /secret|TypeError/);
  assert.equal(logged.length, 1);
  assert.match(JSON.stringify(logged), new RegExp(String(answer.body.request_id)));
  assert.doesNotMatch(JSON.stringify(logged), /eis_/);
});

test('a 503 has a retry time', async () => {
  const vague = await api.call('GET', '/api/test/soon', { key });
  assert.deepEqual([vague.status, vague.headers['retry-after']], [503, '1']);
  const exact = await api.call('GET', '/api/test/later', { key });
  assert.deepEqual([exact.headers['retry-after'], exact.headers['retry-after-ms']], ['3', '2500']);
  assert.equal(logged.length, 1);
});

test('an error that a retry cannot change says so', async () => {
  const poor = await api.addKey('acme', { scopes: ['gateway'] });
  const answer = await api.call('GET', '/api/management/keys', { key: poor.key });
  assert.deepEqual([answer.status, answer.headers['x-should-retry']], [403, 'false']);
});
