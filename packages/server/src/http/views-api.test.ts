import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listResponseEntries, type RunningApi, runApi } from './test/running-api.ts';

const VIEWS = '/api/management/views';
const BODY = { name: 'Slow ones', page: 'requests', filters: { latency_ms: '>=60000', columns: ['id'] } };

let api: RunningApi;
let ann: string;
let bob: string;
let boss: string;
before(async () => {
  api = await runApi();
  ann = (await api.addMember('acme', { role: 'viewer' })).key;
  bob = (await api.addMember('acme', { role: 'member' })).key;
  boss = (await api.addKey('acme', { scopes: ['management'] })).key;
});
after(() => api.close());

test('every member who can read has private views, which no one else sees', async () => {
  const { status, body } = await api.call('POST', VIEWS, { key: ann, body: BODY });
  assert.deepEqual(
    [status, body.name, body.filters, body.own, body.shared],
    [201, BODY.name, BODY.filters, true, false],
  );
  const one = `${VIEWS}/${String(body.id)}`;
  assert.equal((await api.call('GET', one, { key: bob })).status, 404);
  assert.equal((await api.call('DELETE', one, { key: boss })).status, 404);
  assert.deepEqual(listResponseEntries((await api.call('GET', VIEWS, { key: bob })).body.data), []);
  const changed = await api.call('PATCH', one, { key: ann, body: { name: 'Slower' } });
  assert.deepEqual([changed.body.name, changed.body.filters], ['Slower', BODY.filters]);
  assert.equal((await api.call('PATCH', one, { key: ann, body: { shared: true } })).status, 403);
  assert.equal((await api.call('DELETE', one, { key: ann })).status, 204);
});

test('a shared view is visible to all, and only managers can change it', async () => {
  const put = () => api.call('PUT', `${VIEWS}/errors`, { key: boss, body: { ...BODY, shared: true } });
  const first = await put();
  assert.deepEqual([first.status, first.body.id], [200, 'errors']);
  assert.equal((await put()).body.created_at, first.body.created_at);
  const seen = await api.call('GET', `${VIEWS}/errors`, { key: bob });
  assert.deepEqual([seen.body.shared, seen.body.own], [true, false]);
  assert.equal((await api.call('DELETE', `${VIEWS}/errors`, { key: bob })).status, 403);
  const again = await api.call('PUT', `${VIEWS}/errors`, { key: boss, body: seen.body });
  assert.equal(again.status, 200, 'what GET returned is taken');
  assert.deepEqual(
    listResponseEntries((await api.call('GET', `${VIEWS}?page=requests`, { key: bob })).body.data).map(
      ({ id }) => id,
    ),
    ['errors'],
  );
  assert.deepEqual(
    listResponseEntries((await api.call('GET', `${VIEWS}?page=monitors`, { key: bob })).body.data),
    [],
  );
});

test("the id of another member's private view is taken, and a view cannot store large data", async () => {
  await api.call('PUT', `${VIEWS}/mine`, { key: ann, body: BODY });
  assert.equal((await api.call('PUT', `${VIEWS}/mine`, { key: bob, body: BODY })).status, 409);
  const long = await api.call('POST', VIEWS, {
    key: ann,
    body: { ...BODY, filters: { q: 'x'.repeat(9_000) } },
  });
  assert.deepEqual([long.status, long.body.error?.param], [400, 'filters']);
  const odd = await api.call('PUT', `${VIEWS}/No%20Slug`, { key: ann, body: BODY });
  assert.deepEqual([odd.status, odd.body.error?.param], [400, 'id']);
});
