import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { API_TEST_NOW, type ApiTestCall, runApi } from './test/running-api.ts';

async function start(t: TestContext) {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  const ask = (method: string, path: string, body?: unknown, headers: ApiTestCall['headers'] = {}) =>
    api.call(method, `/api/${path}`, { key, body, headers });
  const count = async (table: 'audit' | 'limits' | 'idempotent_creations') =>
    (await api.database.read.selectFrom(table).selectAll().execute()).length;
  return { ...api, ask, count };
}

/** One resource of each kind that can be written by its id, and a change of it. */
const RESOURCES: Readonly<Record<string, { readonly made: object; readonly change: object }>> = {
  'management/providers/one': { made: { kind: 'sandbox' }, change: { models: ['e*'] } },
  'management/policies/one': {
    made: { on: 'request', when: 'true', action: 'flag' },
    change: { mode: 'enforce' },
  },
  'management/limits/one': { made: { scope: 'org', rpm: 1 }, change: { rpm: 2 } },
  'management/budgets/one': {
    made: { name: 'b', scope: 'org', period: 'day', limit_usd: 1 },
    change: { limit_usd: 2 },
  },
  'monitoring/monitors/one': { made: { expected_interval_minutes: 5 }, change: { tags: ['x'] } },
  'monitoring/channels/one': {
    made: { kind: 'webhook', url: 'http://127.0.0.1:9/x' },
    change: { tags: ['x'] },
  },
  'monitoring/boards/one': { made: { name: 'B' }, change: { name: 'C' } },
};

for (const [path, { made, change }] of Object.entries(RESOURCES))
  test(`${path.split('/')[1]}: of two edits of one version, the second is rejected and changes nothing`, async (t) => {
    const { ask, count, setNow } = await start(t);
    const put = await ask('PUT', path, made);
    assert.equal(put.status, 200, put.text);
    const first = await ask('GET', path);
    const etag = first.headers.etag ?? '';
    assert.match(etag, /^"[\w.-]+"$/);
    assert.equal(put.headers.etag, etag);
    setNow(API_TEST_NOW + 1000);
    const changed = await ask('PATCH', path, change, { 'if-match': etag });
    assert.equal(changed.status, 200, changed.text);
    assert.notEqual(changed.headers.etag, etag);
    assert.equal((await ask('GET', path)).headers.etag, changed.headers.etag);
    const audits = await count('audit');
    for (const [method, body] of [
      ['PATCH', change],
      ['PUT', made],
      ['DELETE', undefined],
    ] as const) {
      const late = await ask(method, path, body, { 'if-match': etag });
      assert.equal(`${late.status} ${late.body['error']?.['code']}`, '412 precondition_failed');
      const weak = await ask(method, path, body, { 'if-match': `W/${changed.headers.etag}` });
      assert.equal(weak.status, 412);
      const empty = await ask(method, path, body, { 'if-match': '' });
      assert.equal(empty.status, 412, 'an empty header has no matching tag');
    }
    assert.equal(await count('audit'), audits);
    assert.equal((await ask('GET', path)).headers.etag, changed.headers.etag);
    const tags = `"other", ${changed.headers.etag}`;
    assert.equal((await ask('DELETE', path, undefined, { 'if-match': tags })).status, 204);
    assert.equal((await ask('PUT', path, made, { 'if-match': '*' })).status, 412);
    assert.equal((await ask('PUT', path, made, { 'if-none-match': '*' })).status, 200);
    assert.equal((await ask('PUT', path, made, { 'if-none-match': '*' })).status, 412);
  });

test('an unchanged resource is not sent again', async (t) => {
  const { ask } = await start(t);
  await ask('PUT', 'management/limits/one', { scope: 'org', rpm: 1 });
  const { headers } = await ask('GET', 'management/limits/one');
  const same = { 'if-none-match': `"x", W/${headers.etag}` };
  const again = await ask('GET', 'management/limits/one', undefined, same);
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', headers.etag]);
  await ask('PATCH', 'management/limits/one', { rpm: 2 });
  assert.equal((await ask('GET', 'management/limits/one', undefined, same)).status, 200);
});

test('automatic changes do not invalidate an edit', async (t) => {
  const { ask, database } = await start(t);
  const path = 'monitoring/channels/ops';
  await ask('PUT', path, { kind: 'webhook', url: 'http://127.0.0.1:9/x' });
  const { headers } = await ask('GET', path);
  await database.transaction((writer) => writer.updateTable('channels').set({ failures: 3 }).execute());
  const now = await ask('GET', path);
  assert.notEqual(now.headers.etag, headers.etag);
  const changed = await ask('PATCH', path, { tags: ['x'] }, { 'if-match': headers.etag ?? '' });
  assert.equal(changed.status, 200, changed.text);
});

const LIMIT = { scope: 'org', rpm: 60 };

test('a creation that is repeated with its Idempotency-Key creates one resource with the same response, for a day', async (t) => {
  const { ask, count, setNow, addKey, call } = await start(t);
  const headers = { 'idempotency-key': 'k1' };
  const first = await ask('POST', 'management/limits', LIMIT, headers);
  assert.equal(first.status, 201, first.text);
  await ask('PATCH', `management/limits/${first.body['id']}`, { rpm: 1 });
  setNow(API_TEST_NOW + 1000);
  const again = await ask('POST', 'management/limits', LIMIT, headers);
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.equal(await count('limits'), 1);
  const other = await ask('POST', 'management/limits', { ...LIMIT, rpm: 61 }, headers);
  assert.equal(`${other.status} ${other.body['error']?.['param']}`, '409 Idempotency-Key');
  // The key is the caller's own, and the operation's.
  const stranger = await addKey('acme');
  const theirs = await call('POST', '/api/management/limits', { key: stranger.key, body: LIMIT, headers });
  assert.notEqual(theirs.body['id'], first.body['id']);
  const budget = { name: 'b', scope: 'org', period: 'day', limit_usd: 1 };
  assert.equal((await ask('POST', 'management/budgets', budget, headers)).status, 201);
  setNow(API_TEST_NOW + 24 * 3600 * 1000 + 1001);
  const later = await ask('POST', 'management/limits', LIMIT, headers);
  assert.notEqual(later.body['id'], first.body['id']);
  assert.equal(await count('idempotent_creations'), 1);
});

test('a failed creation can be repeated, and simultaneous ones create one resource', async (t) => {
  const { ask, count, database } = await start(t);
  const headers = { 'idempotency-key': 'k2' };
  assert.equal((await ask('POST', 'management/limits', { scope: 'org' }, headers)).status, 400);
  const all = await Promise.all(
    Array.from({ length: 8 }, () => ask('POST', 'management/limits', LIMIT, headers)),
  );
  assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(all.map(({ body }) => body['id'])).size, 1);
  assert.equal(await count('limits'), 1);
  const rows = await database.read.selectFrom('idempotent_creations').selectAll().execute();
  assert.doesNotMatch(JSON.stringify(rows), /"k2"|lim_/);
});
