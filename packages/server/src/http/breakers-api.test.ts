import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { applyBreakerOverride } from '../guardrails/breakers/breaker-override.ts';
import type { BreakerView } from '../guardrails/breakers/breakers.ts';
import { listForcedBreakerStates } from '../store/forced-breakers.ts';
import { API_TEST_NOW, listResponseEntries, runApi } from './test/running-api.ts';

const VIEW: BreakerView = {
  orgId: 'acme',
  provider: 'main',
  credential: 'default',
  model: 'family/large',
  state: 'open',
  reason: '5 failures in a row',
  probe: null,
  forced: null,
  waitMs: 1200.5,
  unforcedWaitMs: 1200.5,
  calls: { ok: 1, failed: 5, slow: 0 },
};
const ID = 'main/family/large@default';
const PATH = `/api/management/breakers/${encodeURIComponent(ID)}/force`;

const PROVIDER = {
  id: 'main',
  kind: 'openai-compatible',
  base_url: 'http://127.0.0.1:9/v1',
  api_key: 'a-key',
};
const {
  orgs: [ORG],
} = FloeConfigSchema.parse({
  orgs: [
    {
      id: 'acme',
      providers: [
        { ...PROVIDER, models: ['family/*', 'b'] },
        { ...PROVIDER, id: 'keyless', api_key: undefined },
      ],
    },
  ],
});

const FORCED_BY_MEMBER = {
  state: 'open' as const,
  until: API_TEST_NOW + 60_000,
  reason: 'maintenance',
  by: '',
};

async function start(t: TestContext, add: (views: BreakerView[]) => void = () => undefined) {
  const all: BreakerView[] = [VIEW, { ...VIEW, model: 'b' }, { ...VIEW, orgId: 'other' }];
  add(all);
  const api = await runApi({
    ...(ORG && { org: ORG }),
    breakers: { list: (orgId) => all.filter((view) => view.orgId === orgId) },
  });
  t.after(() => api.close());
  const { key } = await api.addKey('acme', { name: 'ops', scopes: ['management'] });
  return { ...api, key };
}

test('breakers of the organization are listed by id in pages', async (t) => {
  const { call, key } = await start(t);
  const first = await call('GET', '/api/management/breakers?limit=1', { key });
  assert.equal(first.status, 200);
  const second = await call('GET', `/api/management/breakers?cursor=${first.body['next_cursor']}`, { key });
  assert.deepEqual(second.body['data'], [
    {
      id: ID,
      provider: 'main',
      model: 'family/large',
      credential: 'default',
      state: 'open',
      reason: '5 failures in a row',
      probe: null,
      wait_ms: 1201,
      forced: null,
      calls: { ok: 1, failed: 5, slow: 0 },
    },
  ]);
  assert.equal(second.body['next_cursor'], null);
});

test('a forced state is stored with its end and an audit entry, and auto removes it', async (t) => {
  const { call, key, database } = await start(t);
  const body = { state: 'open', expires_in_seconds: 60, reason: 'maintenance' };
  const forced = await call('POST', PATH, { key, body });
  assert.equal(forced.status, 200, forced.text);
  const until = new Date(API_TEST_NOW + 60_000).toISOString();
  assert.deepEqual(forced.body['forced'], {
    state: 'open',
    until,
    reason: 'maintenance',
    by: 'ops',
  });
  assert.equal(forced.body['wait_ms'], 60_000, 'until the forced state ends');
  const [stored] = await listForcedBreakerStates(database.read, API_TEST_NOW);
  assert.deepEqual(
    [stored?.model, stored?.state, stored?.until],
    ['family/large', 'open', API_TEST_NOW + 60_000],
  );
  assert.deepEqual(await listForcedBreakerStates(database.read, API_TEST_NOW + 60_001), []);
  const back = await call('POST', PATH, { key, body: { state: 'auto', reason: 'done' } });
  assert.equal(back.body['forced'], null);
  assert.equal(back.body['wait_ms'], Math.ceil(VIEW.unforcedWaitMs), 'that of the breaker alone');
  assert.deepEqual(await listForcedBreakerStates(database.read, API_TEST_NOW), []);
  const { body: history } = await call('GET', `${PATH.replace(/force$/, 'history')}`, { key });
  assert.deepEqual(
    listResponseEntries(history['data'])
      .map(({ state, reason }) => `${state} ${reason}`)
      .sort(),
    ['forced_open maintenance', 'released done'],
  );
  const rows = await database.read
    .selectFrom('audit')
    .selectAll()
    .where('action', '=', 'breakers.force')
    .execute();
  assert.deepEqual(
    rows.map(({ subject }) => subject),
    [ID, ID],
  );
});

test('forcing a breaker that no request can use is rejected', async (t) => {
  const { call, key, database } = await start(t);
  const body = { state: 'open', reason: 'why' };
  for (const id of ['nowhere/b@default', 'main/unknown@default', 'main/b@other']) {
    const path = `/api/management/breakers/${encodeURIComponent(id)}/force`;
    const answer = await call('POST', path, { key, body });
    assert.deepEqual([answer.status, answer.body['error']?.['param']], [404, 'id'], id);
    const auto = await call('POST', path, { key, body: { ...body, state: 'auto' } });
    assert.deepEqual([auto.status, auto.body['error']?.['param']], [404, 'id'], `${id} returned`);
  }
  assert.deepEqual(await listForcedBreakerStates(database.read, API_TEST_NOW), []);
  const audited = await database.read
    .selectFrom('audit')
    .select('id')
    .where('action', '=', 'breakers.force')
    .execute();
  assert.deepEqual(audited, []);
});

test('a state that a member forces shows their email address, and stores only their id', async (t) => {
  const api = await start(t, (all) => all.push({ ...VIEW, model: 'c', forced: FORCED_BY_MEMBER }));
  const { id, key, email } = await api.addMember('acme', { role: 'admin', email: 'ana@acme.example' });
  FORCED_BY_MEMBER.by = id;
  const body = { state: 'open', expires_in_seconds: 60, reason: 'maintenance' };
  const forced = await api.call('POST', PATH, { key, body });
  assert.match(forced.text, new RegExp(`"by":"${email}"`));
  const { body: listed } = await api.call('GET', '/api/management/breakers', { key });
  assert.ok(JSON.stringify(listed.data).includes(`"by":"${email}"`));
  const [stored] = await listForcedBreakerStates(api.database.read, API_TEST_NOW);
  assert.equal(stored?.by, id);
  const changes = await api.database.read.selectFrom('breaker_changes').selectAll().execute();
  assert.ok(!JSON.stringify(changes).includes(email));
});

test('a forced state can be removed after its target no longer exists', async (t) => {
  const { call, key, database } = await start(t);
  const name = { orgId: 'acme', provider: 'gone', model: 'b', credential: 'default' };
  const wanted = { state: 'open', ttlMs: 60_000, reason: 'why', by: 'ops' } as const;
  await database.transaction((writer) => applyBreakerOverride(writer, name, wanted, API_TEST_NOW));
  const path = `/api/management/breakers/${encodeURIComponent('gone/b@default')}/force`;
  const body = { state: 'auto', reason: 'left over' };
  assert.equal((await call('POST', path, { key, body })).status, 200);
  assert.deepEqual(await listForcedBreakerStates(database.read, API_TEST_NOW), []);
  assert.equal((await call('POST', path, { key, body })).status, 404);
});

test('a target without a credential is forced by the id that the list shows', async (t) => {
  const { call, key } = await start(t);
  const path = `/api/management/breakers/${encodeURIComponent('keyless/b@none')}/force`;
  const answer = await call('POST', path, { key, body: { state: 'open', reason: 'why' } });
  assert.deepEqual([answer.status, answer.body['credential']], [200, 'none'], answer.text);
});

test('an invalid id, an invalid state and a key without the scope are rejected', async (t) => {
  const { call, key, addKey } = await start(t);
  const body = { state: 'open', reason: 'why' };
  const nameless = await call('POST', '/api/management/breakers/main/force', { key, body });
  assert.deepEqual([nameless.status, nameless.body['error']?.['param']], [400, 'id']);
  const stateless = await call('POST', PATH, { key, body: { ...body, state: 'half_open' } });
  assert.deepEqual([stateless.status, stateless.body['error']?.['param']], [400, 'state']);
  const reader = await addKey('acme', { scopes: ['read'] });
  assert.equal((await call('POST', PATH, { key: reader.key, body })).status, 403);
  assert.equal((await call('GET', '/api/management/breakers', { key: reader.key })).status, 200);
});
