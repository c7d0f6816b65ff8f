// Documents with many resources: what one transaction may hold, and that it changes exactly what the document says.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createSeededRandom } from '@floe/testkit/chunking';
import { listResponseEntries, runApi } from './test/running-api.ts';

async function start(t: TestContext) {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme', {
    scopes: ['management', 'monitoring', 'gateway'],
    name: 'admin',
  });
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api/${path}`, { key, body });
  const apply = (org: object, more: object = {}) =>
    call('POST', 'management/config/apply', { config: { orgs: [{ id: 'acme', ...org }] }, ...more });
  const listRoutes = async () =>
    listResponseEntries((await call('GET', 'management/routes?limit=200')).body['data']).map(({ id }) => id);
  return { ...api, call, apply, listRoutes };
}

const many = (count: number, one: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => one(index));
const monitors = (count: number) =>
  many(count, (index) => ({ id: `m${index}`, expected_interval_minutes: 5 }));

test('a document changes at most 1,000 resources, and unchanged ones do not count', async (t) => {
  const { apply, call } = await start(t);
  const rejected = await apply({ monitors: monitors(1_001) });
  assert.equal(rejected.status, 400);
  assert.match(rejected.text, /changes 1001 resources. The maximum is 1000/);
  assert.equal((await apply({ monitors: monitors(700) })).body['changes']?.length, 700);
  const both = await apply({ monitors: monitors(1_400) });
  assert.deepEqual([both.body['changes']?.length, both.body['unchanged']], [700, 700]);
  const pruned = await apply({ monitors: monitors(1_390).toSpliced(3, 1) }, { prune: true });
  assert.deepEqual([pruned.body['changes']?.length, pruned.body['unchanged']], [11, 1_389]);
  assert.equal((await call('GET', 'monitoring/monitors/m3')).status, 404);
});

test('an unchanged resource is skipped only if its value, position and secrets are the stored ones', async (t) => {
  const { apply, call, listRoutes } = await start(t);
  const models = Array.from({ length: 60 }, (_, index) => `any/r${index}`);
  const routes = models.map((model) => ({ model }));
  const hooks = many(60, (index) => ({ name: `c${index}`, kind: 'webhook', url: `\${URL_${index}}` }));
  const variables = Object.fromEntries(
    hooks.map((_, index) => [`URL_${index}`, `http://127.0.0.1:9/${index}`]),
  );
  const keys = many(60, (index) => ({ name: `k${index}`, key: `\${KEY_${index}}`, scopes: ['gateway'] }));
  const values = Object.fromEntries(
    keys.map((_, index) => [`KEY_${index}`, `eis_${'k'.repeat(40)}${index}`]),
  );
  const first = await apply({ routes, channels: hooks, keys }, { variables: { ...variables, ...values } });
  assert.equal(first.body['changes']?.length, 180, first.text.slice(0, 300));
  const same = await apply({ routes, channels: hooks, keys });
  assert.deepEqual([same.body['changes']?.length, same.body['unchanged']], [0, 180]);
  const reversed = await apply({ routes: routes.toReversed(), channels: hooks.toReversed() });
  assert.equal(reversed.status, 200);
  assert.deepEqual(await listRoutes(), models.toReversed());
  const moved = await apply({ channels: hooks }, { variables: { URL_7: 'http://127.0.0.1:9/other' } });
  assert.deepEqual(
    listResponseEntries(moved.body['changes']).map(({ id }) => id),
    ['c7'],
  );
  await call('PATCH', 'management/routes/any%2Fr5', { retries: 0 });
  const restored = await apply({ routes: routes.toReversed() });
  assert.deepEqual(
    listResponseEntries(restored.body['changes']).map(({ id, action }) => `${action} ${id}`),
    ['changed any/r5'],
  );
});

test('rules without names, and secrets that are given again, are applied', async (t) => {
  const { apply, call } = await start(t);
  const others = many(50, (index) => ({ id: `t${index}` }));
  const unnamed = [
    { per: 'key', rpm: 100 },
    { per: 'key', tpm: 9_000 },
  ];
  const limits = [...unnamed, { name: 'a', scope: 'org', rpm: 7 }, { name: 'b', scope: 'org', rpm: 5 }];
  const hook = { name: 'hook', kind: 'webhook', url: 'http://127.0.0.1:9/x' };
  assert.equal(
    (await apply({ teams: others, limits, channels: [{ ...hook, secret: 'first' }] })).status,
    200,
  );
  const changed = await apply({
    teams: others,
    limits: limits.with(3, { name: 'b', scope: 'org', rpm: 1 }),
    channels: [{ ...hook, secret: 'stored' }],
  });
  assert.deepEqual(
    listResponseEntries(changed.body['changes']).map(({ kind }) => kind),
    ['channels', 'limits'],
    changed.text.slice(0, 500),
  );
  const stored = listResponseEntries((await call('GET', 'management/limits')).body['data']);
  assert.match(JSON.stringify(stored), /"name":"b"[^{}]*"rpm":1\b/);
});

test('a document is applied and compared although stored resources refer to removed ones', async (t) => {
  const { apply, call } = await start(t);
  const hook = { name: 'ops', kind: 'webhook', url: 'http://127.0.0.1:9/x' };
  const teams = many(60, (index) => ({ id: `t${index}` }));
  const monitor = { id: 'm', expected_interval_minutes: 5, channels: ['ops'] };
  assert.equal((await apply({ teams, channels: [hook], monitors: [monitor] })).status, 200);
  const channels = listResponseEntries((await call('GET', 'monitoring/channels')).body['data']);
  assert.equal((await call('DELETE', `monitoring/channels/${channels[0]?.['id']}`)).status, 204);
  const same = await apply({ teams });
  assert.deepEqual([same.status, same.body['unchanged']], [200, 60]);
  const repaired = await apply({ teams, monitors: [{ ...monitor, channels: [] }] });
  assert.deepEqual([repaired.status, repaired.body['changes']?.length], [200, 1]);
});

test('documents that are applied at the same time are applied one after the other', async (t) => {
  const { apply, call } = await start(t);
  const teams = (name: string) => ({ teams: many(120, (index) => ({ id: `t${index}`, name })) });
  await apply(teams('first'));
  for (let round = 0; round < 3; round++) {
    const names = ['second', 'third', 'fourth'].map((name) => `${name} ${round}`);
    const answers = await Promise.all(names.map((name) => apply(teams(name))));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    const stored = listResponseEntries((await call('GET', 'management/teams?limit=200')).body['data']);
    const own = stored.filter(({ id }) => /^t\d/.test(String(id)));
    assert.deepEqual([own.length, new Set(own.map(({ name }) => name)).size], [120, 1]);
  }
});

test('entries of an ordered list are where the requests put them', async (t) => {
  const { call, apply, listRoutes } = await start(t);
  const random = createSeededRandom(20_261_128);
  const below = (limit: number) => Math.floor(random() * limit);
  const expected: string[] = [];
  for (let step = 0; step < 120; step++) {
    const id = `any/r${below(12)}`;
    const position = below(14);
    const index = expected.indexOf(id);
    if (random() < 0.2) {
      const { status } = await call('DELETE', `management/routes/${encodeURIComponent(id)}`);
      assert.equal(status, index === -1 ? 404 : 204);
      if (index !== -1) expected.splice(index, 1);
    } else {
      const isGiven = random() < 0.8;
      const { status } = await call(
        'PUT',
        `management/routes/${encodeURIComponent(id)}`,
        isGiven ? { position } : {},
      );
      assert.equal(status, 200);
      if (index === -1) expected.splice(isGiven ? position : expected.length, 0, id);
      else if (isGiven) expected.splice(position, 0, ...expected.splice(index, 1));
    }
    if (step % 10 === 9) assert.deepEqual(await listRoutes(), expected, `after step ${step}`);
  }
  const shuffled = expected.toSorted(() => random() - 0.5);
  await apply({ routes: shuffled.map((model) => ({ model })) });
  assert.deepEqual(await listRoutes(), shuffled);
});
