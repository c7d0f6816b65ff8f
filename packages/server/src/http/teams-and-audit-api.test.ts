import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { upsertTeam } from '../store/teams.ts';
import { API_TEST_NOW, type RunningApi, runApi } from './test/running-api.ts';

const TEAMS = '/api/management/teams';
const AUDIT = '/api/management/audit';
let api: RunningApi;
let admin: { readonly key: string; readonly id: string; readonly email: string };
before(async () => {
  api = await runApi();
  admin = await api.addMember('acme', { role: 'admin' });
});
after(() => api.close());

const ask = (method: string, path: string, body?: unknown) =>
  api.call(method, path, { key: admin.key, body });

test('a team is created, changed and read, and can be removed if nothing refers to it', async () => {
  const made = await ask('POST', TEAMS, { id: 'apps', cost_center: '42' });
  assert.deepEqual([made.status, made.body.name, made.body.cost_center], [201, 'apps', '42']);
  assert.equal((await ask('POST', TEAMS, { id: 'apps' })).body.error?.code, 'conflict');
  const path = `${TEAMS}/apps`;
  const changed = await ask('PATCH', path, { name: 'Apps', cost_center: null });
  assert.deepEqual([changed.body.name, changed.body.cost_center], ['Apps', null]);
  const put = await ask('PUT', path, (await ask('GET', path)).body);
  assert.deepEqual(put.body, changed.body);

  const member = await api.addMember('acme', { role: 'member', team: 'apps' });
  await ask('POST', '/api/management/keys', { name: 'apps', scopes: ['read'], team: 'apps' });
  await ask('POST', '/api/management/invitations', { email: 'a@apps.example', team: 'apps' });
  await ask('POST', '/api/management/limits', { scope: 'team', team: 'apps', rpm: 5 });
  const refused = await ask('DELETE', path);
  assert.equal(refused.body.error?.code, 'conflict');
  assert.match(String(refused.body.error?.message), /members: 1, keys: 1, invitations: 1, limits: 1/);
  await ask('PATCH', `/api/management/members/${member.id}`, { team: null });
  assert.doesNotMatch(String((await ask('DELETE', path)).body.error?.message), /members/);
  await ask('PUT', `${TEAMS}/idle`, {});
  assert.equal((await ask('DELETE', `${TEAMS}/idle`)).status, 204);
  assert.equal((await ask('GET', `${TEAMS}/idle`)).status, 404);
});

test('a team in floe.yaml is read-only', async () => {
  const times = { created_at: API_TEST_NOW, updated_at: API_TEST_NOW, updated_by: 'file' };
  const filed = { org_id: 'acme', id: 'filed', name: 'Filed', cost_center: null, source: 'file' };
  await api.database.transaction((writer) => upsertTeam(writer, { ...filed, ...times, source_line: 12 }));
  assert.deepEqual((await ask('GET', `${TEAMS}/filed`)).body.source, {
    kind: 'file',
    file: 'floe.yaml',
    line: 12,
  });
  for (const [method, body] of [
    ['PATCH', { name: 'x' }],
    ['PUT', { name: 'x' }],
    ['DELETE', undefined],
  ] as const) {
    const refused = await ask(method, `${TEAMS}/filed`, body);
    assert.equal(refused.body.error?.code, 'managed_by_file');
    assert.match(String(refused.body.error?.message), /line 12/);
  }
});

test('the team of a key must exist', async () => {
  const refused = await ask('POST', '/api/management/keys', { name: 'k', scopes: ['read'], team: 'none' });
  assert.deepEqual([refused.status, refused.body.error?.param], [400, 'team']);
});

test('the audit log lists who did what, has filters, and is exported completely as NDJSON and CSV', async () => {
  await ask('POST', TEAMS, { id: 'exported', name: '=1+1' });
  const byKey = await api.addKey('acme', { name: 'robot' });
  await api.call('PATCH', `${TEAMS}/exported`, { key: byKey.key, body: { name: 'a,"b"' } });
  const list = async (query: string) =>
    Object.values((await ask('GET', `${AUDIT}?${query}`)).body.data ?? {});
  const both = await list('subject=exported');
  const [create, update] = ['teams.create', 'teams.update'].map((action) =>
    both.find((entry) => String(entry.action) === action),
  );
  assert.deepEqual(
    [create?.actor_name, create?.actor_kind, update?.actor_name, update?.actor_kind],
    [admin.email, 'member', 'robot', 'key'],
  );
  for (const [query, count] of [
    [`actor=${byKey.id}`, 1],
    ['action=teams.update&subject=exported', 1],
    [`subject=exported&from=${new Date(API_TEST_NOW).toISOString()}`, 2],
    [`subject=exported&to=${new Date(API_TEST_NOW).toISOString()}`, 0],
    ['subject=exported&limit=1', 1],
  ] as const)
    assert.equal((await list(query)).length, count, query);

  const ndjson = await ask('GET', `${AUDIT}/export?subject=exported`);
  const lines = ndjson.text.trimEnd().split('\n');
  assert.equal(ndjson.headers['content-type'], 'application/x-ndjson');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    both,
  );
  const csv = await ask('GET', `${AUDIT}/export?subject=exported&format=csv`);
  assert.match(String(csv.headers['content-disposition']), /audit\.csv/);
  assert.equal(csv.text.split('\r\n').length, 4);
  assert.ok(csv.text.includes('""name"":""a,\\""b\\""""'));
});

test('the audit chain of an organization is valid from the first entry to the last', async () => {
  const { body } = await ask('GET', `${AUDIT}/chain`);
  const [newest] = Object.values((await ask('GET', `${AUDIT}?limit=500`)).body.data ?? {});
  assert.ok(newest);
  assert.deepEqual([body.valid, body.first_seq, body.broken_at], [true, 1, null]);
  assert.equal(body.entries, body.last_seq);
  assert.equal(body['checked_at'], new Date(API_TEST_NOW).toISOString());
  assert.ok(Number(body.last_seq) >= Number(newest.seq));
});

test('a change has its IP address and session, in the log and in exports', async () => {
  const from = { key: admin.key, headers: { 'x-forwarded-for': '203.0.113.9' } };
  await api.call('POST', TEAMS, { ...from, body: { id: 'from-afar' } });
  const [entry] = JSON.parse((await ask('GET', `${AUDIT}?subject=from-afar`)).text).data;
  assert.deepEqual([entry.ip_address, entry.session_id], ['203.0.113.9', `ses_${admin.id}`]);
  const ndjson = await ask('GET', `${AUDIT}/export?subject=from-afar`);
  assert.equal(JSON.parse(ndjson.text).ip_address, '203.0.113.9');
  const csv = await ask('GET', `${AUDIT}/export?subject=from-afar&format=csv`);
  assert.match(csv.text, /address,session_id/);
  assert.match(csv.text, new RegExp(`203\\.0\\.113\\.9,ses_${admin.id}`));
  const { key } = await api.addKey('acme');
  await api.call('POST', TEAMS, { key, headers: from.headers, body: { id: 'by-key' } });
  const [byKey] = JSON.parse((await ask('GET', `${AUDIT}?subject=by-key`)).text).data;
  assert.deepEqual([byKey.ip_address, byKey.session_id], ['203.0.113.9', null]);
});

test('exported anchors show whether the current chain is the original one', async () => {
  const { data } = JSON.parse((await ask('GET', `${AUDIT}/anchors`)).text);
  assert.equal(data.length, 1, 'one for each day');
  await ask('POST', TEAMS, { id: 'later' });
  const verify = async (anchors: readonly object[]) =>
    JSON.parse((await ask('POST', `${AUDIT}/verify`, { anchors })).text);
  const good = await verify(data);
  assert.deepEqual([good.valid, good.anchors], [true, [{ seq: data[0].seq, status: 'matches' }]]);
  const forged = await verify([{ seq: data[0].seq, hash: 'f'.repeat(64) }]);
  assert.deepEqual([forged.valid, forged.anchors[0].status], [false, 'differs']);
  const cut = await verify([{ seq: 100_000, hash: 'f'.repeat(64) }]);
  assert.deepEqual([cut.valid, cut.anchors[0].status], [false, 'missing'], 'the end was cut off');
});

test('a budget is raised by members who stepped up, and lowered by any admin', async () => {
  const asking = await api.addMember('acme', { role: 'admin', steppedUp: false });
  const budget = { name: 'month', scope: 'org', period: 'month', limit_usd: 100 };
  const { id } = (await ask('POST', '/api/management/budgets', budget)).body;
  const path = `/api/management/budgets/${id}`;
  const patch = async (body: object, key = asking.key) => {
    const answer = await api.call('PATCH', path, { key, body });
    return answer.body.error?.code ?? answer.status;
  };
  assert.equal(await patch({ limit_usd: 50 }), 200);
  for (const body of [{ limit_usd: 51 }, { mode: 'soft' }, { period: 'day' }])
    assert.equal(await patch({ ...body, reason: 'Why not' }), 'step_up_required', JSON.stringify(body));
  const removal = await api.call('DELETE', `${path}?reason=Over`, { key: asking.key });
  assert.equal(removal.body.error?.code, 'step_up_required');
  assert.equal(await patch({ limit_usd: 51, reason: 'A demo' }, admin.key), 200);
  assert.equal(await patch({ limit_usd: 52 }, (await api.addKey('acme')).key), 200);
});
