import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { API_TEST_NOW, type RunningApi, runApi } from './test/running-api.ts';

const KEYS = '/api/management/keys';
let api: RunningApi;
let admin: { readonly id: string; readonly key: string };
before(async () => {
  api = await runApi();
  admin = await api.addKey('acme');
});
after(() => api.close());

const create = (body: object, headers: Record<string, string> = {}) =>
  api.call('POST', KEYS, { key: admin.key, body: { scopes: ['read'], ...body }, headers });
const audit = async (subject: unknown) =>
  (await api.call('GET', `/api/management/audit?subject=${subject}`, { key: admin.key })).body.data;

test('a created key works immediately, shows its value once, and is rejected right after its revocation', async () => {
  const created = await create({
    name: 'life',
    models: ['openai/*'],
    team: 'platform',
    owner: 'a@b.example',
  });
  assert.equal(created.status, 201);
  const { key, id, ...shown } = created.body;
  assert.match(String(key), /^eis_[0-9A-Za-z]{49}$/);

  const me = await api.call('GET', '/api/me', { key: String(key) });
  assert.deepEqual(me.body.key, { id, ...shown });
  const got = await api.call('GET', `${KEYS}/${id}`, { key: admin.key });
  assert.deepEqual(got.body, { id, ...shown });

  assert.equal((await api.call('DELETE', `${KEYS}/${id}`, { key: admin.key })).status, 204);
  const refused = await api.call('GET', '/api/me', { key: String(key) });
  assert.deepEqual([refused.status, refused.body.error?.code], [401, 'key_revoked']);
  assert.equal((await api.call('GET', `${KEYS}/${id}`, { key: admin.key })).body.status, 'revoked');
});

test('each change is in the audit log with before and after, without the value or its hash', async () => {
  const created = await create({ name: 'audited' });
  const { id, key } = created.body;
  await api.call('PATCH', `${KEYS}/${id}`, { key: admin.key, body: { owner: 'c@d.example' } });
  await api.call('DELETE', `${KEYS}/${id}`, { key: admin.key });
  await api.call('DELETE', `${KEYS}/${id}`, { key: admin.key });
  const entries = await audit(id);
  assert.deepEqual(
    Object.values(entries ?? {})
      .map(({ action, actor }) => [action, actor])
      .sort(),
    [
      ['keys.create', admin.id],
      ['keys.revoke', admin.id],
      ['keys.update', admin.id],
    ],
  );
  const update = Object.values(entries ?? {}).find(({ action }) => String(action) === 'keys.update');
  assert.deepEqual([update?.before?.owner, update?.after?.owner], [null, 'c@d.example']);
  const text = JSON.stringify(Object.values(entries ?? {}).map(({ before, after }) => [before, after]));
  assert.ok(!text.includes(String(key)) && !text.includes('hash'));
});

test('revoking a key twice succeeds', async () => {
  const { id } = (await create({ name: 'twice' })).body;
  for (let i = 0; i < 2; i++)
    assert.equal((await api.call('DELETE', `${KEYS}/${id}`, { key: admin.key })).status, 204);
});

test('a key cannot grant scopes that it does not have', async () => {
  const manager = await api.addKey('acme', { scopes: ['management', 'monitoring'] });
  const call = (scopes: readonly string[], name: string) =>
    api.call('POST', KEYS, { key: manager.key, body: { name, scopes } });
  assert.equal((await call(['beat', 'monitoring', 'management'], 'within')).status, 201);
  const beyond = await call(['management', 'gateway'], 'beyond');
  assert.deepEqual([beyond.status, beyond.body.error?.code], [403, 'insufficient_scope']);
});

test('a name belongs to one valid key at a time', async () => {
  const { id } = (await create({ name: 'unique' })).body;
  const second = await create({ name: 'unique' });
  assert.deepEqual(
    [second.status, second.body.error?.code, second.body.error?.param],
    [409, 'conflict', 'name'],
  );
  const { id: other } = (await create({ name: 'free' })).body;
  const rename = (name: string) => api.call('PATCH', `${KEYS}/${other}`, { key: admin.key, body: { name } });
  assert.equal((await rename('unique')).status, 409);
  await api.call('DELETE', `${KEYS}/${id}`, { key: admin.key });
  assert.equal((await rename('unique')).status, 200);
});

test('a repeated Idempotency-Key creates no second key and names the first one', async () => {
  const headers = { 'idempotency-key': 'deploy-4711' };
  const first = await create({ name: 'idempotent' }, headers);
  const again = await create({ name: 'idempotent' }, headers);
  assert.equal(first.status, 201);
  assert.deepEqual([again.status, again.body.error?.param], [409, 'Idempotency-Key']);
  assert.match(String(again.body.error?.message), new RegExp(String(first.body.id)));
  const stranger = await api.addKey('other');
  const elsewhere = await api.call('POST', KEYS, {
    key: stranger.key,
    body: { name: 'idempotent', scopes: ['read'] },
    headers,
  });
  assert.equal(elsewhere.status, 201);
  assert.equal((await create({ name: 'long' }, { 'idempotency-key': 'x'.repeat(256) })).status, 400);
});

test('a change affects only its fields, and null clears a field', async () => {
  const { id } = (
    await create({
      name: 'patched',
      team: 'platform',
      models: ['openai/*'],
      expires_at: '2027-01-01T01:00:00+01:00',
    })
  ).body;
  const patch = async (body: object) =>
    (await api.call('PATCH', `${KEYS}/${id}`, { key: admin.key, body })).body;
  const renamed = await patch({ name: 'patched again' });
  assert.deepEqual(
    [renamed.name, renamed.team, renamed.models, renamed.expires_at],
    ['patched again', 'platform', ['openai/*'], '2027-01-01T00:00:00.000Z'],
  );
  const cleared = await patch({ team: null, models: null, expires_at: null });
  assert.deepEqual(
    [cleared.name, cleared.team, cleared.models, cleared.expires_at],
    ['patched again', null, null, null],
  );
});

test('a changed expiry applies immediately', async () => {
  const { id, key } = (await create({ name: 'expiring' })).body;
  await api.call('PATCH', `${KEYS}/${id}`, {
    key: admin.key,
    body: { expires_at: new Date(API_TEST_NOW).toISOString() },
  });
  assert.equal((await api.call('GET', '/api/me', { key: String(key) })).body.error?.code, 'key_expired');
});

test('a key in floe.yaml can be read but not changed', async () => {
  const { id } = await api.addKey('acme', { name: 'filed', source: 'file', source_line: 12 });
  const got = await api.call('GET', `${KEYS}/${id}`, { key: admin.key });
  assert.deepEqual(got.body.source, { kind: 'file', file: 'floe.yaml', line: 12 });
  for (const [method, body] of [
    ['PATCH', { name: 'x' }],
    ['DELETE', undefined],
  ] as const) {
    const refused = await api.call(method, `${KEYS}/${id}`, { key: admin.key, body });
    assert.deepEqual([refused.status, refused.body.error?.code], [409, 'managed_by_file']);
    assert.match(String(refused.body.error?.message), /line 12/);
  }
});

test('pages return the whole list once, newest first', async () => {
  const owner = await api.addKey('other', { name: 'pager' });
  const expected = [];
  for (let i = 0; i < 5; i++) {
    api.setNow(API_TEST_NOW + 1000 * Math.floor(i / 2));
    expected.push(
      (await api.addKey('other', { name: `page ${i}`, created_at: API_TEST_NOW + 1000 * Math.floor(i / 2) }))
        .id,
    );
  }
  api.setNow(API_TEST_NOW);
  const seen: unknown[] = [];
  let cursor = '';
  for (let turn = 0; turn < 20; turn++) {
    const { body } = await api.call('GET', `${KEYS}?limit=2${cursor}`, { key: owner.key });
    const rows = Object.values(body.data ?? {});
    assert.ok(rows.length <= 2);
    seen.push(...rows.map(({ id, created_at }) => `${created_at} ${id}`));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(seen, [...seen].sort().reverse());
  assert.equal(new Set(seen).size, seen.length);
  for (const id of expected) assert.ok(seen.some((entry) => String(entry).endsWith(id)));
});
