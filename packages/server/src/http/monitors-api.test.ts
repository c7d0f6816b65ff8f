import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KeyScope } from '@floe/contract/scopes';
import { commitBeats } from '../monitoring/commit-beats.ts';
import { toMonitorDefinition } from '../monitoring/monitor-definition.ts';
import { createMonitor } from '../monitoring/monitors.ts';
import { createTestBeatCall as beatOf } from '../monitoring/test/test-monitors.ts';
import {
  API_TEST_NOW,
  apiTestPepper,
  listResponseEntries,
  type RunningApi,
  runApi,
} from './test/running-api.ts';

const MONITORS = '/api/monitoring/monitors';
const MINUTE = 60_000;
let api: RunningApi;
let key: string;
let foreign: string;
before(async () => {
  api = await runApi();
  key = (await api.addKey('acme')).key;
  foreign = (await api.addKey('other')).key;
});
after(() => api.close());

const post = (path: string, body?: object) => api.call('POST', path, { key, body });
const get = (path: string) => api.call('GET', path, { key });
const put = (path: string, body: unknown) => api.call('PUT', path, { key, body });

async function beat(id: string, at: number) {
  const sight = { nowMs: at, gaps: [], peersCommittedUntil: Number.POSITIVE_INFINITY };
  return commitBeats(api.database, [beatOf(id, at)], sight);
}

/** A monitor as floe.yaml would have made it. */
function fromFile(id: string) {
  const definition = toMonitorDefinition(
    {
      id,
      name: id,
      kind: 'heartbeat',
      description: '',
      expected_interval_minutes: 5,
      tags: [],
      channels: [],
      paused: false,
      alert_after_misses: 1,
      fail_counts_as_miss: false,
    },
    'UTC',
  );
  return api.database.transaction((writer) =>
    createMonitor(
      {
        writer,
        secret: apiTestPepper,
        nowMs: API_TEST_NOW,
        committedUntil: API_TEST_NOW,
        gaps: [],
        rewindCount: 0,
        actor: 'file',
        source: { kind: 'file', line: 12 },
      },
      'acme',
      definition,
    ),
  );
}

test('text that PostgreSQL cannot store is rejected on every database, with the name of the field', async () => {
  const body = { id: 'nul', expected_interval_minutes: 5 };
  for (const [param, more] of [
    ['name', { name: 'a\0b' }],
    ['tags[1]', { tags: ['a', '\0'] }],
    ['description', { description: '\0' }],
  ] as const) {
    const { status, body: answer } = await post(MONITORS, { ...body, ...more });
    assert.equal(status, 400);
    assert.deepEqual(
      answer['error'] && Object(answer['error']).message,
      `${param}: must not contain the character U+0000`,
    );
  }
});

test('an error names the known keys of a nested object and an example of a timestamp', async () => {
  const interval = { id: 'misspelled', expected_interval_minutes: 5 };
  for (const [body, message] of [
    [
      { id: 'misspelled', schedule: { cron: '0 3 * * *', timzone: 'Europe/Riga' } },
      'schedule: unknown key "timzone"; did you mean "timezone"?',
    ],
    [
      { ...interval, muted_until: 'tomorrow' },
      'muted_until: must be a timestamp such as 2027-01-01T00:00:00Z',
    ],
  ] as const)
    assert.equal((await post(MONITORS, body)).body.error?.message, message);
});

test('a monitor is created, read, changed and removed, and the audit log has each change', async () => {
  const made = await post(MONITORS, { id: 'backup', expected_interval_minutes: 60, tags: ['db'] });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    [made.body.status, made.body.grace_period_minutes, made.body.grace_source, made.body.name],
    ['waiting', 5, 'org', 'backup'],
  );
  assert.match(String(made.body.beat_url), /^https:\/\/floe\.example\/beat\/[0-9a-f-]{36}$/);
  const path = `${MONITORS}/backup`;
  const changed = await api.call('PATCH', path, {
    key,
    body: { schedule: { cron: '0 3 * * *', timezone: 'Europe/Riga' }, grace_period_minutes: 30 },
  });
  assert.deepEqual(
    [changed.body.expected_interval_minutes, changed.body.schedule?.cron, changed.body.grace_source],
    [null, '0 3 * * *', 'monitor'],
  );
  const back = await api.call('PATCH', path, { key, body: { expected_interval_minutes: 10 } });
  assert.deepEqual([back.body.schedule, back.body.expected_interval_minutes], [null, 10]);
  assert.equal((await post(MONITORS, { id: 'backup', expected_interval_minutes: 1 })).status, 409);
  assert.equal((await api.call('DELETE', path, { key })).status, 204);
  assert.equal((await get(path)).body.error?.code, 'monitor_not_found');
  const audit = await get('/api/management/audit?subject=backup');
  assert.deepEqual(
    listResponseEntries(audit.body.data)
      .map(({ action }) => action)
      .toSorted(),
    ['monitors.create', 'monitors.delete', 'monitors.update', 'monitors.update'],
  );
});

test('PUT accepts what GET returned, and an inherited grace period remains inherited', async () => {
  const path = `${MONITORS}/gitops`;
  const settings = { expected_interval_minutes: 0.5, tags: ['a', 'b'], muted_until: '2027-01-01T00:00:00Z' };
  assert.equal((await put(path, settings)).status, 200);
  await beat('gitops', API_TEST_NOW - 1_000);
  const read = await get(path);
  for (let times = 0; times < 2; times++) {
    const again = await put(path, read.body);
    assert.deepEqual([again.status, again.body], [200, read.body]);
  }
  const audit = await get('/api/management/audit?subject=gitops');
  assert.equal(listResponseEntries(audit.body.data).length, 1);
  const own = await put(path, { ...read.body, grace_period_minutes: 7 });
  assert.deepEqual([own.body.grace_period_minutes, own.body.grace_source], [7, 'monitor']);
  const inherited = await put(path, { expected_interval_minutes: 0.5 });
  assert.deepEqual([inherited.body.grace_source, inherited.body.tags], ['org', []]);
  assert.equal((await put(path, { ...read.body, id: 'other' })).body.error?.param, 'id');
});

test('an invalid monitor is a 400 that names the field', async () => {
  const every = { expected_interval_minutes: 5 };
  const cases: readonly (readonly [object, string | undefined])[] = [
    [{ id: 'UPPER', ...every }, 'id'],
    [{ id: 'x', expected_interval_minutes: 0.1 }, 'expected_interval_minutes'],
    [{ id: 'x', ...every, schedule: { cron: '* * * * *' } }, 'schedule'],
    [{ id: 'x', schedule: { cron: '61 * * * *' } }, 'schedule.cron'],
    [{ id: 'x', schedule: { cron: '1 * * * *', timezone: 'Mars/Base' } }, 'schedule.timezone'],
    [{ id: 'x', ...every, channels: ['nobody'] }, 'channels[0]'],
    [{ id: 'x', ...every, colour: 'red' }, 'colour'],
    [{ id: 'x' }, undefined],
  ];
  for (const [body, param] of cases) {
    const { status, body: answer } = await post(MONITORS, body);
    assert.deepEqual([status, answer.error?.param ?? undefined], [400, param], JSON.stringify(body));
  }
});

test('a monitor keeps the channels that were renamed, and accepts no others that do not exist', async () => {
  const channel = { name: 'renamed', kind: 'webhook', url: 'https://ops.example/hook' };
  const created = await post('/api/monitoring/channels', channel);
  const fields = { id: 'routed', expected_interval_minutes: 5, channels: ['renamed'] };
  assert.equal((await post(MONITORS, fields)).status, 201);
  const path = `${MONITORS}/routed`;
  await api.call('PATCH', `/api/monitoring/channels/${created.body.id}`, { key, body: { name: 'ops-eu' } });
  const patch = (body: object) => api.call('PATCH', path, { key, body });
  assert.equal((await patch({ description: 'a', channels: ['renamed', 'ops-eu'] })).status, 200);
  assert.equal((await put(path, { ...fields, description: 'b' })).status, 200);
  const { status, body } = await patch({ channels: ['renamed', 'nobody'] });
  assert.deepEqual([status, body.error?.param], [400, 'channels[1]']);
});

test('a monitor in floe.yaml is read-only, but its beat URL can be rotated', async () => {
  await fromFile('filed');
  const path = `${MONITORS}/filed`;
  const read = await get(path);
  assert.deepEqual(read.body.source, { kind: 'file', file: 'floe.yaml', line: 12 });
  const tries: readonly (readonly [string, string, object?])[] = [
    ['PATCH', path, { name: 'other' }],
    ['PUT', path, { expected_interval_minutes: 1 }],
    ['DELETE', path],
  ];
  for (const [method, where, body] of tries) {
    const { status, body: answer } = await api.call(method, where, { key, body });
    assert.deepEqual([status, answer.error?.code], [409, 'managed_by_file'], `${method} ${where}`);
    assert.match(String(answer.error?.message), /line 12/);
  }
  const rotated = await post(`${path}/rotate`);
  assert.equal(rotated.status, 200);
  assert.notEqual(rotated.body.beat_url, read.body.beat_url);
});

test('the beat URL is shown only to keys that may change monitors', async () => {
  await post(MONITORS, { id: 'secretive', expected_interval_minutes: 5 });
  const shown = async (...scopes: readonly KeyScope[]) => {
    const reader = await api.addKey('acme', { scopes });
    const one = await api.call('GET', `${MONITORS}/secretive`, { key: reader.key });
    const many = await api.call('GET', MONITORS, { key: reader.key });
    if (one.status !== 200) return one.status;
    assert.equal(many.text.includes('/beat/'), one.body.beat_url !== null);
    return one.body.beat_url !== null;
  };
  assert.equal(await shown('monitoring'), true);
  assert.equal(await shown('management'), true);
  assert.equal(await shown('read'), false);
  assert.equal(await shown('beat'), 403);
  const { key: reader } = await api.addKey('acme', { scopes: ['read'] });
  const refused = await api.call('POST', `${MONITORS}/secretive/rotate`, { key: reader });
  assert.equal(refused.body.error?.code, 'insufficient_scope');
});

test('a pause starts and ends, also with PATCH, and a second pause changes nothing', async () => {
  await post(MONITORS, { id: 'rests', expected_interval_minutes: 5 });
  const path = `${MONITORS}/rests`;
  assert.equal((await post(`${path}/resume`)).status, 409);
  const until = new Date(API_TEST_NOW + 60 * MINUTE).toISOString();
  const paused = await post(`${path}/pause`, { until });
  assert.deepEqual([paused.body.status, paused.body.paused_until], ['paused', until]);
  const endless = await post(`${path}/pause`);
  assert.deepEqual([endless.body.paused, endless.body.paused_until], [true, null]);
  await post(`${path}/pause`);
  assert.equal((await post(`${path}/resume`)).body.status, 'waiting');
  assert.equal((await api.call('PATCH', path, { key, body: { paused: true } })).body.status, 'paused');
  assert.equal((await api.call('PATCH', path, { key, body: { paused: false } })).body.status, 'waiting');
  assert.equal((await post(`${path}/pause`, { until: '2020-01-01T00:00:00Z' })).body.error?.param, 'until');
  const audit = await get('/api/management/audit?subject=rests&action=monitors.pause');
  assert.equal(listResponseEntries(audit.body.data).length, 2);
});

test('an end time that a request sets must be in the future, and a replacement may contain one that has passed', async () => {
  const past = { muted_until: new Date(API_TEST_NOW - MINUTE).toISOString() };
  const rejected = { status: 400, param: 'muted_until' };
  const toOutcome = ({ status, body }: Awaited<ReturnType<typeof post>>) => ({
    status,
    param: body.error?.param,
  });
  const path = `${MONITORS}/muted`;
  assert.deepEqual(
    toOutcome(await post(MONITORS, { id: 'muted', expected_interval_minutes: 5, ...past })),
    rejected,
  );
  await post(MONITORS, { id: 'muted', expected_interval_minutes: 5 });
  assert.deepEqual(toOutcome(await api.call('PATCH', path, { key, body: past })), rejected);
  const pause = { paused: true, paused_until: past.muted_until };
  assert.equal((await api.call('PATCH', path, { key, body: pause })).body.error?.param, 'paused_until');
  const bulk = await api.call('PATCH', MONITORS, { key, body: { ids: ['muted'], ...past } });
  assert.deepEqual(toOutcome(bulk), rejected);
  const replaced = await put(path, { expected_interval_minutes: 5, ...past });
  assert.deepEqual([replaced.status, replaced.body.muted_until], [200, past.muted_until]);
  assert.equal((await api.call('PATCH', path, { key, body: { name: 'Quiet', ...past } })).status, 200);
});

test('lists are filtered by tag, status and search, and continue on the next page', async () => {
  for (const id of ['list-1', 'list-2', 'list-3'])
    await post(MONITORS, {
      id,
      expected_interval_minutes: 5,
      tags: id === 'list-2' ? ['x%', 'lists'] : ['lists'],
    });
  await beat('list-1', API_TEST_NOW - 1_000);
  const ids = async (query: string) =>
    listResponseEntries((await get(`${MONITORS}?${query}`)).body.data).map(({ id }) => id);
  assert.deepEqual(await ids('tag=x%25'), ['list-2']);
  assert.deepEqual(await ids('search=LIST-3'), ['list-3']);
  assert.deepEqual(await ids('tag=lists&status=healthy'), ['list-1']);
  assert.deepEqual((await ids('tag=lists&status=waiting')).toSorted(), ['list-2', 'list-3']);
  const first = await get(`${MONITORS}?tag=lists&limit=2`);
  const rest = await ids(`tag=lists&limit=2&cursor=${first.body.next_cursor}`);
  assert.equal(listResponseEntries(first.body.data).length + rest.length, 3);
});

test('every operation returns 404 to another organization', async () => {
  await post(MONITORS, { id: 'mine', expected_interval_minutes: 5 });
  const board = await post('/api/monitoring/boards', { slug: 'mine-board', groups: [] });
  const window = await post('/api/monitoring/maintenance', {
    id: 'mine-window',
    name: 'W',
    starts_at: '2027-01-01T00:00:00Z',
    ends_at: '2027-01-02T00:00:00Z',
  });
  assert.deepEqual([board.status, window.status], [201, 201]);
  const ours = { monitors: 'mine', boards: 'mine-board', maintenance: 'mine-window' } as const;
  let tried = 0;
  for (const operation of api.operations) {
    const [, subject = ''] =
      /^\/api\/monitoring\/(monitors|boards|maintenance)\/\{id\}/.exec(operation.path) ?? [];
    if (!(subject in ours) || operation.method === 'PUT') continue;
    const path = operation.path.replace('{id}', ours[subject as keyof typeof ours]);
    const body = operation.method === 'PATCH' ? { name: 'taken over' } : undefined;
    const { status } = await api.call(operation.method, path, { key: foreign, body });
    assert.equal(status, 404, operation.name);
    tried += 1;
  }
  assert.ok(tried >= 14);
  // PUT makes one of their own, and takes nothing.
  await api.call('PUT', `${MONITORS}/mine`, { key: foreign, body: { expected_interval_minutes: 1 } });
  assert.equal((await get(`${MONITORS}/mine`)).body.expected_interval_minutes, 5);
  const taken = await api.call('PUT', '/api/monitoring/boards/mine-board', {
    key: foreign,
    body: { groups: [] },
  });
  assert.equal(taken.status, 409);
  assert.equal((await api.call('DELETE', `${MONITORS}/mine`, { key: foreign })).status, 204);
  assert.equal((await get(`${MONITORS}/mine`)).status, 200);
});

test('a schedule is previewed in its time zone across a clock change', async () => {
  const { body } = await post('/api/monitoring/schedule/preview', {
    schedule: { cron: '30 2 * * *', timezone: 'Europe/Riga' },
    grace_period_minutes: 10,
    from: '2026-10-23T12:00:00Z',
    count: 3,
  });
  assert.deepEqual(body.data, [
    {
      expected_at: '2026-10-23T23:30:00.000Z',
      deadline_at: '2026-10-23T23:40:00.000Z',
      expected_at_local: '2026-10-24 02:30:00 EEST',
    },
    {
      expected_at: '2026-10-24T23:30:00.000Z',
      deadline_at: '2026-10-24T23:40:00.000Z',
      expected_at_local: '2026-10-25 02:30:00 EEST',
    },
    {
      expected_at: '2026-10-26T00:30:00.000Z',
      deadline_at: '2026-10-26T00:40:00.000Z',
      expected_at_local: '2026-10-26 02:30:00 EET',
    },
  ]);
  const wrong = await post('/api/monitoring/schedule/preview', { schedule: { cron: 'soon' } });
  assert.equal(wrong.status, 400);
});

test('a cron expression that never matches is rejected everywhere, with the expression', async () => {
  for (const cron of ['0 0 30 2 *', '0 0 31 4 *', '0 0 31 2,4,6,9,11 *', '0 12 30 2 *']) {
    const schedule = { cron, timezone: 'UTC' };
    const made = await post(MONITORS, { id: 'never', schedule });
    assert.deepEqual([made.status, made.body.error?.param], [400, 'schedule.cron'], cron);
    assert.match(String(made.body.error?.message), /never matches/);
    const shown = await post('/api/monitoring/schedule/preview', { schedule });
    assert.equal(shown.status, 400);
    const window = { name: 'Never', schedule, duration_minutes: 5 };
    assert.equal((await post('/api/monitoring/maintenance', window)).status, 400);
  }
  const leap = await post(MONITORS, { id: 'leap', schedule: { cron: '0 0 29 2 *', timezone: 'UTC' } });
  assert.equal(leap.status, 201, leap.text);
});

test('a POST without a body has no content type, whatever its headers say', async () => {
  assert.equal((await post(MONITORS, { id: 'typed', expected_interval_minutes: 5 })).status, 201);
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json', 'image/png']) {
    const headers = { 'content-type': type };
    const paused = await api.call('POST', `${MONITORS}/typed/pause`, { key, raw: '', headers });
    assert.equal(paused.status, 200, `${type}: ${paused.text}`);
    const resumed = await api.call('POST', `${MONITORS}/typed/resume`, { key, raw: '', headers });
    assert.equal(resumed.status, 200, `${type}: ${resumed.text}`);
  }
});

test('deleting a monitor sends a recovery only if its failure was sent', async () => {
  for (const kind of ['ok', 'fail'] as const) {
    const id = `deleted-${kind}`;
    await post(MONITORS, {
      id,
      name: `Deleted ${kind}`,
      expected_interval_minutes: 5,
      alert_after_misses: 3,
    });
    const sight = { nowMs: API_TEST_NOW + 1, gaps: [], peersCommittedUntil: Number.POSITIVE_INFINITY };
    await commitBeats(api.database, [beatOf(id, API_TEST_NOW + 1, { kind })], sight);
    assert.equal((await api.call('DELETE', `${MONITORS}/${id}`, { key })).status, 204);
    const alerts = await api.database.read
      .selectFrom('alerts')
      .select(['event', 'phase', 'fields_json'])
      .where('subject_id', '=', id)
      .orderBy('seq')
      .execute();
    const told = alerts.map(({ event, phase }) => `${event} ${phase}`);
    if (kind === 'ok') assert.deepEqual(told, []);
    else {
      assert.deepEqual(told, ['monitor_failing opens', 'monitor_recovered closes']);
      assert.equal(JSON.parse(alerts[1]?.fields_json ?? '').deleted, true);
    }
    assert.equal((await get(`${MONITORS}/${id}`)).status, 404);
  }
});

test('a monitor that waits for its first beat has the time of the alert as its deadline', async () => {
  const body = {
    id: 'first-beat',
    name: 'First beat',
    expected_interval_minutes: 60,
    grace_period_minutes: 5,
  };
  const { body: made } = await post(MONITORS, body);
  assert.equal(made.next_due_at, null);
  assert.equal(Date.parse(String(made.deadline_at)) - Date.parse(String(made.created_at)), 65 * MINUTE);
  const { body: paused } = await post(`${MONITORS}/first-beat/pause`, {});
  assert.equal(paused.deadline_at, null);
});
