// A request is authorized before its body arrives. Access that ends or shrinks meanwhile changes nothing any more.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createFileDownloadSchema, FileDownload } from '../management/file-download.ts';
import { defineReadOperation } from '../management/operation.ts';
import { startTestSignIn, type TestBrowser, type TestSignIn } from './sign-in/test/test-sign-in.ts';
import { runApi } from './test/running-api.ts';

const KEYS = '/api/management/keys';
const BODY = { name: 'late', scopes: ['management'] };
let harness: TestSignIn;
let owner: TestBrowser;
let people = 0;
before(async () => {
  harness = await startTestSignIn();
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
  const finish = await startSlowly({ cookie, 'sec-fetch-site': 'same-origin' });
  return { finish, browser, member: `/api/management/members/mem_acme_${id.slice(4)}` };
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
    await act(who);
    assert.equal(await who.finish(), outcome);
  });

test('a request that was in progress is performed if its access has not changed', async () => {
  const { finish } = await signedIn();
  assert.equal(await finish(), '201');
  const { key } = await harness.api.addKey('acme');
  assert.equal(await (await startSlowly({ authorization: `Bearer ${key}` }))(), '201');
});

test('a download ends with an error when its reader loses access', async (t) => {
  const revoked = Promise.withResolvers<void>();
  async function* twoChunks() {
    yield 'before';
    await revoked.promise;
    yield 'after';
  }
  const download = defineReadOperation({
    name: 'test.download',
    method: 'GET',
    path: '/api/test/download',
    scope: 'management',
    summary: 'Downloads two chunks.',
    answer: createFileDownloadSchema('text/csv'),
    run: async () => new FileDownload('text/csv', 'chunks.csv', twoChunks()),
  });
  const api = await runApi({ operations: [download] });
  t.after(() => api.close());
  const [admin, reader] = [await api.addKey('acme'), await api.addKey('acme')];
  const headers = { authorization: `Bearer ${reader.key}` };
  const outgoing = request({ port: api.port, host: '127.0.0.1', path: download.path, headers }).end();
  const [answer]: [IncomingMessage] = await once(outgoing, 'response').then(([one]) => [one]);
  const [first] = await once(answer, 'data');
  assert.equal(String(first), 'before');
  const rest = text(answer);
  assert.equal((await api.call('DELETE', `${KEYS}/${reader.id}`, { key: admin.key })).status, 204);
  revoked.resolve();
  await assert.rejects(rest, { code: 'ECONNRESET' });
});
