import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ApiTestResponse, type ResponseJson, runApi } from './test/running-api.ts';

const WEBHOOK = { kind: 'webhook', name: 'ops', url: 'http://127.0.0.1:9/old', secret: 'signing-secret' };
const NTFY = { kind: 'ntfy', name: 'phone', url: 'http://127.0.0.1:9/topic', token: 'ntfy-token' };
const PROVIDER = {
  id: 'groq-one',
  kind: 'groq',
  api_key: 'gsk_old_old_old_old',
  headers: { 'x-retention': 'none' },
  outbound: { proxy: 'http://user:pass@127.0.0.1:9' },
};

/** An organization with two channels and a provider, whose secrets no key decrypts. */
async function startWithUnreadableSecrets(t: TestContext) {
  const api = await runApi({ isOnlyOrg: true });
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api/${path}`, { key, body });
  for (const [path, body] of [
    ['monitoring/channels', WEBHOOK],
    ['monitoring/channels', NTFY],
    ['management/providers', PROVIDER],
  ] as const)
    assert.equal((await call('POST', path, body)).status, 201);
  const unreadable = { secrets_sealed: 'fs1.deadbeef.x.y' };
  await api.database.transaction(async (writer) => {
    await writer.updateTable('channels').set(unreadable).execute();
    await writer.updateTable('config_entries').set(unreadable).where('kind', '=', 'providers').execute();
  });
  const countUnreadable = async () => {
    const { read } = api.database;
    const [channels, entries] = await Promise.all([
      read.selectFrom('channels').select('id').where('secrets_sealed', '=', 'fs1.deadbeef.x.y').execute(),
      read
        .selectFrom('config_entries')
        .select('id')
        .where('secrets_sealed', '=', 'fs1.deadbeef.x.y')
        .execute(),
    ]);
    return channels.length + entries.length;
  };
  return { call, countUnreadable };
}

const variable = (name: string) => `\${${name}}`;

function assertRefused({ status, text }: ApiTestResponse, reason: RegExp) {
  assert.equal(status, 400, text);
  assert.match(text, reason);
}

test('a change of a channel with unreadable secrets must contain each of them, or null', async (t) => {
  const { call, countUnreadable } = await startWithUnreadableSecrets(t);
  const url = 'http://127.0.0.1:9/new';
  const again = (field: string) => new RegExp(`${field}: must be sent again because the stored value cannot`);
  assertRefused(await call('PATCH', 'monitoring/channels/ops', { url }), again('secret'));
  assertRefused(await call('PATCH', 'monitoring/channels/ops', { secret: 'new-secret' }), again('url'));
  assertRefused(await call('PUT', 'monitoring/channels/ops', { kind: 'webhook', url }), again('secret'));
  assertRefused(await call('PATCH', 'monitoring/channels/phone', { url }), again('token'));
  assert.equal(await countUnreadable(), 3);

  const removed = await call('PATCH', 'monitoring/channels/ops', { url, secret: null });
  assert.equal(removed.status, 200, removed.text);
  assert.equal((await call('PATCH', 'monitoring/channels/phone', { url, token: 'new-token' })).status, 200);
  assert.equal(await countUnreadable(), 1);
  assert.equal((await call('PATCH', 'monitoring/channels/ops', { tags: ['night'] })).status, 200);
});

test('an export marks secrets that cannot be decrypted, and applying it removes none of them', async (t) => {
  const { call, countUnreadable } = await startWithUnreadableSecrets(t);
  const exported = await call('GET', 'management/config/export');
  assert.equal(exported.status, 200);
  for (const marked of [
    /unreadable-headers: \$\{PROVIDER_GROQ_ONE_HEADER_UNREADABLE_HEADERS\}/,
    /proxy: http:\/\/\$\{PROVIDER_GROQ_ONE_PROXY\}@127\.0\.0\.1:9/,
    /# .*PROVIDER_GROQ_ONE_HEADER_UNREADABLE_HEADERS: the headers of the provider "groq-one"; Floe cannot decrypt them/,
    /secret: \$\{CHANNEL_OPS_SECRET\}/,
    /token: \$\{CHANNEL_PHONE_TOKEN\}/,
  ])
    assert.match(exported.text, marked);
  const apply = (org: ResponseJson | object) =>
    call('POST', 'management/config/apply', { config: { orgs: [org] }, variables: {}, reason: 'test' });
  const provider = {
    id: 'groq-one',
    kind: 'groq',
    credentials: [{ name: 'default', api_key: variable('KEY') }],
  };
  const outbound = { proxy: 'http://127.0.0.1:9' };
  // The marked secrets remain.
  const headers = { 'unreadable-headers': variable('PROVIDER_GROQ_ONE_HEADER_UNREADABLE_HEADERS') };
  const marked = {
    ...provider,
    headers,
    outbound: { proxy: `http://${variable('PROVIDER_GROQ_ONE_PROXY')}@127.0.0.1:9` },
  };
  const kept = await apply({ id: 'acme', providers: [marked] });
  assert.equal(kept.status, 200, kept.text);
  assert.equal(kept.body['unchanged'], 1, kept.text);
  // A document without them, or with some of them, does not remove the others.
  for (const [one, reason] of [
    [{ ...provider, outbound }, /headers: must be sent again/],
    [{ ...provider, headers: { 'x-retention': 'none' }, outbound }, /outbound: must be sent again/],
    [{ ...marked, headers: { 'x-retention': 'none' } }, /outbound: must be sent again/],
  ] as const)
    assertRefused(await apply({ id: 'acme', providers: [one] }), reason);
  for (const channel of [
    { kind: 'webhook', name: 'ops', url: 'http://127.0.0.1:9/new' },
    { ...WEBHOOK, secret: variable('CHANNEL_OPS_SECRET') },
  ])
    assertRefused(await apply({ id: 'acme', channels: [channel] }), /secret: must be sent again/);
  assert.equal(await countUnreadable(), 3);

  // An empty map states that the provider has no headers.
  const newProxy = { proxy: 'http://new:pass@127.0.0.1:9' };
  assertRefused(
    await apply({ id: 'acme', providers: [{ ...marked, headers: {} }] }),
    /outbound: must be sent again/,
  );
  const emptied = await apply({
    id: 'acme',
    providers: [{ ...provider, headers: {}, outbound: newProxy }],
  });
  assert.equal(emptied.status, 200, emptied.text);
  assert.equal(await countUnreadable(), 2);
  const { body } = await call('GET', 'management/providers/groq-one');
  assert.deepEqual(body['header_names'], []);

  const given = { ...PROVIDER, outbound: newProxy };
  const applied = await apply({ id: 'acme', providers: [given], channels: [WEBHOOK, NTFY] });
  assert.equal(applied.status, 200, applied.text);
  assert.equal(await countUnreadable(), 0);
});

test('applying the export of unreadable secrets to another installation lists them as missing', async (t) => {
  const { call } = await startWithUnreadableSecrets(t);
  const exported = await call('GET', 'management/config/export');
  const other = await runApi({ isOnlyOrg: true });
  t.after(() => other.close());
  const { key } = await other.addKey('acme');
  const body = { yaml: exported.text, variables: {} };
  const applied = await other.call('POST', '/api/management/config/apply', { key, body });
  assertRefused(
    applied,
    /PROVIDER_GROQ_ONE_HEADER_UNREADABLE_HEADERS: the header unreadable-headers of the provider/,
  );
  assert.match(applied.text, /PROVIDER_GROQ_ONE_PROXY/);
});
