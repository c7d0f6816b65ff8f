import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KeyScope } from '@floe/contract/scopes';
import { createConfigFilePlatformKeyResourceKind } from '../platform/config-file-platform-keys.ts';
import { createResourceKindSyncFactory } from '../platform/config-file-sync.ts';
import { loadKeyring } from '../platform/load-keyring.ts';
import { syncTestOrgs } from '../platform/test/sync-orgs.ts';
import { updatePlatformKeysLastUsed } from '../store/platform-keys.ts';
import {
  API_TEST_NOW,
  apiTestPepper,
  type ResponseJson,
  type RunningApi,
  runApi,
} from './test/running-api.ts';

const KEYS = '/api/management/keys';
const HOUR_MS = 3_600_000;
let api: RunningApi;
let admin: { readonly key: string };
before(async () => {
  api = await runApi();
  admin = await api.addKey('acme');
});
after(() => api.close());

const create = async (body: object, key = admin.key) =>
  api.call('POST', KEYS, { key, body: { scopes: ['gateway', 'read'], ...body } });
const rotate = (id: unknown, body: object = {}, key = admin.key, headers: Record<string, string> = {}) =>
  api.call('POST', `${KEYS}/${id}/rotate`, { key, body, headers });
const told = async (key: unknown) => {
  const { status, body } = await api.call('GET', '/api/me', { key: String(key) });
  return status === 200 ? String(body.key?.id) : body.error?.code;
};
const recordOf = async (key: unknown) => {
  const keyring = await loadKeyring(api.database.read, apiTestPepper, API_TEST_NOW);
  return keyring.authenticate(String(key), API_TEST_NOW);
};

test('a rotated key keeps its id, and its old value works with a notice until the overlap ends', async () => {
  const { id, key: old } = (await create({ name: 'rotating' })).body;
  const rotated = await rotate(id, { overlap_hours: 2 });
  assert.equal(rotated.status, 200);
  const { key: next, previous } = rotated.body;
  assert.equal(rotated.body.id, id);
  assert.deepEqual(
    [previous?.last4, previous?.expires_at],
    [String(old).slice(-4), new Date(API_TEST_NOW + 2 * HOUR_MS).toISOString()],
  );
  assert.deepEqual([await told(old), await told(next)], [id, id]);
  assert.deepEqual((await recordOf(old)).deprecationHeaders, [
    'deprecation',
    `@${API_TEST_NOW / 1000}`,
    'sunset',
    new Date(API_TEST_NOW + 2 * HOUR_MS).toUTCString(),
  ]);
  assert.equal((await recordOf(next)).deprecationHeaders, null);
  assert.equal((await rotate(id)).body.error?.code, 'conflict');
  api.setNow(API_TEST_NOW + 2 * HOUR_MS);
  assert.deepEqual([await told(old), await told(next)], ['key_expired', id]);
  const third = await rotate(id, { overlap_hours: 0 });
  assert.deepEqual([await told(next), await told(third.body.key)], ['invalid_api_key', id]);
  assert.equal(third.body.previous, null);
  api.setNow(API_TEST_NOW);
});

test('ending an overlap ends only the old value, and is audited once', async () => {
  const { id, key: old } = (await create({ name: 'overlapping' })).body;
  const { key: next } = (await rotate(id)).body;
  const end = (key = admin.key) => api.call('POST', `${KEYS}/${id}/end-overlap`, { key });
  const jo = await api.addMember('acme', { role: 'member' });
  assert.equal((await end(jo.key)).body.error?.code, 'insufficient_role');
  assert.deepEqual([await told(old), await told(next)], [id, id]);
  const ended = await end();
  assert.deepEqual([ended.status, ended.body.previous], [200, null], ended.text);
  assert.deepEqual([await told(old), await told(next)], ['key_expired', id]);
  assert.equal((await end()).status, 200, 'again, without effect');
  const audit = await api.call('GET', `/api/management/audit?subject=${id}&action=keys.end_overlap`, {
    key: admin.key,
  });
  assert.equal(audit.body.data?.length, 1);
  assert.equal((await rotate(id)).status, 200, 'an overlap can begin again');
});

test('an Idempotency-Key rotates once, and a repeated rotation states who did it, without the value', async () => {
  const { id } = (await create({ name: 'once' })).body;
  const headers = { 'idempotency-key': 'nightly' };
  const first = await rotate(id, { overlap_hours: 0 }, admin.key, headers);
  const again = await rotate(id, { overlap_hours: 0 }, admin.key, headers);
  assert.deepEqual([first.status, again.status], [200, 409]);
  assert.equal(again.body.error?.param, 'Idempotency-Key');
  assert.equal(await told(first.body.key), id);
  const audit = await api.call('GET', `/api/management/audit?subject=${id}&action=keys.rotate`, {
    key: admin.key,
  });
  assert.equal(Object.keys(audit.body.data ?? {}).length, 1);
  assert.ok(!audit.text.includes(String(first.body.key)));
});

test('rotating or changing a key grants no additional scopes', async () => {
  const { id } = (await create({ name: 'mighty', scopes: ['gateway', 'relay'] })).body;
  const manager = await api.addKey('acme', { scopes: ['management'] });
  assert.equal((await rotate(id, {}, manager.key)).body.error?.code, 'insufficient_scope');
  const widen = (scopes: readonly KeyScope[], key: string) =>
    api.call('PATCH', `${KEYS}/${id}`, { key, body: { scopes } });
  assert.equal((await widen(['gateway', 'monitoring'], manager.key)).body.error?.code, 'insufficient_scope');
  assert.deepEqual((await widen(['gateway'], manager.key)).body.scopes, ['gateway']);
  assert.deepEqual((await widen(['gateway', 'monitoring'], admin.key)).body.scopes, [
    'gateway',
    'monitoring',
  ]);
});

test('members have their own keys only', async () => {
  const mara = await api.addMember('acme', { role: 'member', team: 'platform' });
  const jo = await api.addMember('acme', { role: 'member' });
  const own = await create({ name: 'mara' }, mara.key);
  assert.deepEqual([own.body.owner, own.body.team], [mara.email, 'platform']);
  for (const body of [{ owner: 'ci@acme.example' }, { team: 'apps' }, { scopes: ['management'] }]) {
    const refused = await create({ name: 'beyond', ...body }, mara.key);
    assert.equal(refused.status, 403, JSON.stringify(body));
  }
  const path = `${KEYS}/${own.body.id}`;
  const by = (key: string) => ({ key, body: { name: 'mara 2' } });
  assert.equal((await api.call('PATCH', path, by(jo.key))).body.error?.code, 'insufficient_role');
  assert.equal((await rotate(own.body.id, {}, jo.key)).body.error?.code, 'insufficient_role');
  assert.equal((await api.call('DELETE', path, { key: jo.key })).body.error?.code, 'insufficient_role');
  assert.equal((await api.call('PATCH', path, by(mara.key))).body.name, 'mara 2');
  const mine = await api.call('GET', `${KEYS}?owner=${mara.email}`, { key: mara.key });
  assert.equal(Object.keys(mine.body.data ?? {}).length, 1);
  assert.equal((await rotate(own.body.id, {}, mara.key)).status, 200);
  assert.equal((await api.call('DELETE', path, { key: mara.key })).status, 204);
});

test('members cannot release a key from their team or from themselves', async () => {
  const lee = await api.addMember('acme', { role: 'member', team: 'platform' });
  const own = await create({ name: 'own of lee' }, lee.key);
  const given = await create({ name: 'given to lee', owner: lee.email, team: 'platform' });
  for (const { body: key } of [own, given]) {
    const path = `${KEYS}/${key.id}`;
    const put = { name: String(key.name), scopes: ['gateway', 'read'] };
    for (const [method, body] of [
      ['PATCH', { team: null }],
      ['PATCH', { owner: null }],
      ['PUT', put],
      ['PUT', { ...put, owner: lee.email }],
    ] as const) {
      const refused = await api.call(method, path, { key: lee.key, body });
      assert.equal(refused.body.error?.code, 'insufficient_role', `${method} ${JSON.stringify(body)}`);
    }
    const same = { owner: lee.email, team: 'platform' };
    assert.equal((await api.call('PATCH', path, { key: lee.key, body: same })).status, 200);
  }
});

test('an expired key whose name another key has by now cannot become valid again', async () => {
  const { id } = (await create({ name: 'nightly' })).body;
  const path = `${KEYS}/${id}`;
  const change = (body: object) => api.call('PATCH', path, { key: admin.key, body });
  const past = { expires_at: '2020-01-01T00:00:00Z' };
  assert.equal((await change(past)).body.status, 'expired');
  assert.equal((await change({ expires_at: null })).body.status, 'active');
  assert.equal((await change(past)).body.status, 'expired');
  assert.equal((await create({ name: 'nightly' })).status, 201);
  for (const expires_at of [null, '2099-01-01T00:00:00Z']) {
    const { body } = await change({ expires_at });
    assert.deepEqual([body.error?.code, body.error?.param], ['conflict', 'name']);
  }
  assert.equal((await change({ name: 'nightly 2', expires_at: null })).body.status, 'active');
});

test('PUT accepts what GET returned, changes nothing, and creates no key', async () => {
  const { id } = (await create({ name: 'gitops', models: ['openai/*'], team: 'platform' })).body;
  const path = `${KEYS}/${id}`;
  const got = await api.call('GET', path, { key: admin.key });
  api.setNow(API_TEST_NOW + 1000);
  const put = await api.call('PUT', path, { key: admin.key, body: got.body });
  assert.deepEqual(put.body, got.body);
  const bare = await api.call('PUT', path, { key: admin.key, body: { name: 'gitops', scopes: ['read'] } });
  assert.deepEqual([bare.body.models, bare.body.team, bare.body.scopes], [null, null, ['read']]);
  api.setNow(API_TEST_NOW);
  const missing = await api.call('PUT', `${KEYS}/key_none`, {
    key: admin.key,
    body: { name: 'x', scopes: ['read'] },
  });
  assert.equal(missing.status, 404);
});

test('the holder of a key can revoke it; for a rotated key, the value that was sent is revoked', async () => {
  const report = (key: unknown) =>
    api.call('POST', `${KEYS}/report-leak`, { key: String(key), body: { found_in: 'a paste' } });
  const { id, key: old } = (await create({ name: 'leaky' })).body;
  const { key: next } = (await rotate(id)).body;
  assert.equal((await report(old)).status, 204);
  assert.deepEqual([await told(old), await told(next)], ['key_expired', id]);
  assert.equal((await report(next)).status, 204);
  assert.equal(await told(next), 'key_revoked');
  const entry: ResponseJson | undefined = (
    await api.call('GET', `/api/management/audit?subject=${id}&action=keys.report_leak`, { key: admin.key })
  ).body.data?.[0];
  assert.deepEqual([entry?.actor, entry?.after?.found_in], [id, 'a paste']);
});

test('a leaked key value in floe.yaml remains revoked until the file has another one', async () => {
  const leaked = `eis_${'a'.repeat(32)}`;
  const file = (key: string) =>
    api.database.transaction((writer) =>
      syncTestOrgs(
        writer,
        [createResourceKindSyncFactory(createConfigFilePlatformKeyResourceKind(apiTestPepper))],
        [{ id: 'acme', keys: [{ name: 'filed', scopes: ['gateway'], key }] }],
        { nowMs: API_TEST_NOW },
      ),
    );
  await file(leaked);
  await api.addKey('acme');
  assert.equal((await api.call('POST', `${KEYS}/report-leak`, { key: leaked })).status, 204);
  await file(leaked);
  await api.addKey('acme');
  assert.equal(await told(leaked), 'key_revoked');
  const fresh = `eis_${'b'.repeat(32)}`;
  await file(fresh);
  await api.addKey('acme');
  assert.match(String(await told(fresh)), /^key_/);
});

test('the use of a previous value and the end of the overlap do not prevent an edit with If-Match', async () => {
  const { id } = (await create({ name: 'edited' })).body;
  await rotate(id, { overlap_hours: 2 });
  const path = `${KEYS}/${id}`;
  const readTag = async () => String((await api.call('GET', path, { key: admin.key })).headers.etag);
  const edit = async (tag: string, owner: string) =>
    (await api.call('PATCH', path, { key: admin.key, headers: { 'if-match': tag }, body: { owner } })).status;
  const beforeUse = await readTag();
  await api.database.transaction((writer) =>
    updatePlatformKeysLastUsed(writer, [{ id: String(id), usedAt: API_TEST_NOW, previous: true }]),
  );
  assert.notEqual(await readTag(), beforeUse);
  assert.equal(await edit(beforeUse, 'ada@example.com'), 200);
  const beforeEnd = await readTag();
  api.setNow(API_TEST_NOW + 3 * HOUR_MS);
  assert.equal(await edit(beforeEnd, 'bob@example.com'), 200);
  assert.equal(await edit(beforeEnd, 'eve@example.com'), 412);
  api.setNow(API_TEST_NOW);
});
