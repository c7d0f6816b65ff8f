// A request is authorized before its body arrives. Access that ends or shrinks meanwhile changes nothing any more.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { createFileDownloadSchema, FileDownload, NDJSON_CONTENT_TYPE } from '../management/file-download.ts';
import { defineReadOperation } from '../management/operation.ts';
import { startTestSignIn, type TestBrowser, type TestSignIn } from './sign-in/test/test-sign-in.ts';

const KEYS = '/api/management/keys';
const BODY = { name: 'late', scopes: ['management'] };
let harness: TestSignIn;
let owner: TestBrowser;
let people = 0;
let resume = Promise.resolve();
async function* twoChunks() {
  yield 'before';
  await resume;
  yield 'after';
}
const DOWNLOAD = defineReadOperation({
  name: 'test.download',
  method: 'GET',
  path: '/api/test/download',
  scope: 'management',
  summary: 'Downloads two chunks.',
  answer: createFileDownloadSchema('text/csv'),
  run: async () => new FileDownload('text/csv', 'chunks.csv', twoChunks()),
});
let searching: () => void;
async function* lateLine() {
  searching();
  await resume;
  yield '{"found":1}\n';
}
const SEARCH = defineReadOperation({
  name: 'test.search',
  method: 'GET',
  path: '/api/test/search',
  scope: 'management',
  summary: 'Downloads one line.',
  answer: createFileDownloadSchema(NDJSON_CONTENT_TYPE),
  run: async () => new FileDownload(NDJSON_CONTENT_TYPE, 'lines.ndjson', lateLine()),
});
async function* failingLines() {
  yield await Promise.reject<string>(new Fault('overloaded', 'The database is busy.'));
}
const FAILING = defineReadOperation({
  name: 'test.failing',
  method: 'GET',
  path: '/api/test/failing',
  scope: 'management',
  summary: 'Fails before the first line.',
  answer: createFileDownloadSchema(NDJSON_CONTENT_TYPE),
  run: async () => new FileDownload(NDJSON_CONTENT_TYPE, 'lines.ndjson', failingLines()),
});
before(async () => {
  harness = await startTestSignIn({ operations: [DOWNLOAD, SEARCH, FAILING] });
  await harness.addPerson('owner@acme.example', { acme: 'owner' });
  owner = harness.browser();
  await owner.signIn('owner@acme.example');
});
after(() => harness.close());

/** Sends a request that creates a management key without its last byte. Returns how to send it and the outcome. */
async function startSlowly(headers: Readonly<Record<string, string>>): Promise<() => Promise<string>> {
  const body = JSON.stringify({ ...BODY, name: `late ${people++}` });
  const length = { 'content-type': 'application/json', 'content-length': body.length };
  const outgoing = request({
    ...{ port: harness.api.port, host: '127.0.0.1', method: 'POST', path: KEYS },
    headers: { ...headers, ...length, expect: '100-continue' },
  });
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  outgoing.write(body.slice(0, -1));
  // Answered after the slow request was authorized: both are read by the same thread in order.
  await harness.api.call('GET', '/api/openapi.json');
  return async () => {
    outgoing.end(body.slice(-1));
    const [answer]: [IncomingMessage] = await once(outgoing, 'response').then(([one]) => [one]);
    const { error } = JSON.parse(await text(answer));
    return `${answer.statusCode} ${error?.code ?? ''}`.trim();
  };
}

async function signedIn() {
  const email = `person${people++}@acme.example`;
  const id = await harness.addPerson(email, { acme: 'admin', other: 'admin' });
  const browser = harness.browser();
  assert.equal((await browser.signIn(email)).status, 200);
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  return { headers, browser, member: `/api/management/members/mem_acme_${id.slice(4)}` };
}

const KEY_ENDS: Readonly<Record<string, readonly [string, (path: string) => Promise<unknown>]>> = {
  'was revoked': ['401 key_revoked', (path) => owner.ask('DELETE', path)],
  'was rotated without an overlap': [
    '401 key_revoked',
    (path) => owner.ask('POST', `${path}/rotate`, { overlap_hours: 0 }),
  ],
  expired: ['401 key_expired', (path) => owner.ask('PATCH', path, { expires_at: '2020-01-01T00:00:00Z' })],
  'lost a scope': ['409 conflict', (path) => owner.ask('PATCH', path, { scopes: ['management'] })],
};
for (const [end, [outcome, act]] of Object.entries(KEY_ENDS))
  test(`a key that ${end} creates no other key with a request that was in progress`, async () => {
    const { id, key } = await harness.api.addKey('acme', { scopes: ['management', 'read'] });
    const finish = await startSlowly({ authorization: `Bearer ${key}` });
    await act(`${KEYS}/${id}`);
    assert.equal(await finish(), outcome);
  });

const SESSION_ENDS: Readonly<
  Record<string, readonly [string, (who: Awaited<ReturnType<typeof signedIn>>) => Promise<unknown>]>
> = {
  'was signed out': ['401 session_expired', ({ browser }) => browser.ask('DELETE', '/api/session')],
  'is in another organization': [
    '401 session_expired',
    ({ browser }) => browser.ask('POST', '/api/session/org', { org_id: 'other' }),
  ],
  'belongs to a removed member': ['401 session_expired', ({ member }) => owner.ask('DELETE', member)],
  'belongs to a member with another role': [
    '409 conflict',
    ({ member }) => owner.ask('PATCH', member, { role: 'viewer' }),
  ],
};
for (const [end, [outcome, act]] of Object.entries(SESSION_ENDS))
  test(`a session that ${end} creates no key with a request that was in progress`, async () => {
    const who = await signedIn();
    const finish = await startSlowly(who.headers);
    await act(who);
    assert.equal(await finish(), outcome);
  });

test('a request that was in progress is performed if its access has not changed', async () => {
  const { headers } = await signedIn();
  assert.equal(await (await startSlowly(headers))(), '201');
  const { key } = await harness.api.addKey('acme');
  assert.equal(await (await startSlowly({ authorization: `Bearer ${key}` }))(), '201');
});

/** Starts a download of two chunks. Returns the last chunk, which the server sends after `act`. */
async function downloadDuring(headers: Readonly<Record<string, string>>, act: () => Promise<unknown>) {
  const acted = Promise.withResolvers<void>();
  resume = acted.promise;
  const outgoing = request({ port: harness.api.port, host: '127.0.0.1', path: DOWNLOAD.path, headers }).end();
  const [answer]: [IncomingMessage] = await once(outgoing, 'response').then(([one]) => [one]);
  const [first] = await once(answer, 'data');
  assert.equal(String(first), 'before');
  const rest = text(answer);
  await act();
  acted.resolve();
  return rest;
}

test('a download ends with an error within two seconds after its key was revoked', async () => {
  const { id, key } = await harness.api.addKey('acme');
  const download = downloadDuring({ authorization: `Bearer ${key}` }, async () => {
    assert.equal((await owner.ask('DELETE', `${KEYS}/${id}`)).status, 204);
    harness.advance(2_000);
  });
  await assert.rejects(download, { code: 'ECONNRESET' });
});

test('a download ends with an error when its session expires', async () => {
  for (const [minutes, expected] of [
    [11 * 60, 'after'],
    [12 * 60, /aborted|ECONNRESET/],
  ] as const) {
    const { headers } = await signedIn();
    const download = downloadDuring(headers, async () => harness.advance(minutes * 60_000));
    if (expected === 'after') assert.equal(await download, expected);
    else await assert.rejects(download, expected);
  }
});

test('an NDJSON file is not silent before its first line', async () => {
  const { key } = await harness.api.addKey('acme');
  const found = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  resume = found.promise;
  searching = started.resolve;
  const headers = { authorization: `Bearer ${key}` };
  const outgoing = request({ port: harness.api.port, host: '127.0.0.1', path: SEARCH.path, headers }).end();
  await started.promise;
  await new Promise((resolve) => setImmediate(resolve));
  harness.advance(15_000);
  const [answer]: [IncomingMessage] = await once(outgoing, 'response').then(([one]) => [one]);
  assert.equal(answer.headers['content-type'], NDJSON_CONTENT_TYPE);
  assert.equal(String((await once(answer, 'data'))[0]), ' ');
  const rest = text(answer);
  found.resolve();
  assert.deepEqual(JSON.parse(await rest), { found: 1 });
});

test('an NDJSON file that fails before its first line is an error, not a file that is cut off', async () => {
  const { key } = await harness.api.addKey('acme');
  const headers = { authorization: `Bearer ${key}` };
  const outgoing = request({ port: harness.api.port, host: '127.0.0.1', path: FAILING.path, headers }).end();
  const [answer]: [IncomingMessage] = await once(outgoing, 'response').then(([one]) => [one]);
  assert.equal(answer.statusCode, 503);
  assert.equal(JSON.parse(await text(answer)).error.code, 'overloaded');
});
