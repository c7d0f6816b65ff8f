import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commitBeats } from '../monitoring/commit-beats.ts';
import { MISSED_BEAT_ERROR } from '../monitoring/monitoring-unit-of-work.ts';
import type { ReceivedBeat } from '../monitoring/received-beat.ts';
import { sweepDueMonitors } from '../monitoring/sweep.ts';
import { createTestBeatCall as beatOf } from '../monitoring/test/test-monitors.ts';
import type { MonitoringGap } from '../store/monitoring/monitoring-liveness-values.ts';
import { API_TEST_NOW, listResponseEntries, type RunningApi, runApi } from './test/running-api.ts';

const MINUTE = 60_000;
const JOB = '/api/monitoring/monitors/job';
const BOARDS = '/api/monitoring/boards';
/** Floe was away from 10:50 to 11:00. */
const GAP: MonitoringGap = { startAt: API_TEST_NOW - 70 * MINUTE, endAt: API_TEST_NOW - 60 * MINUTE };
let now = API_TEST_NOW - 6 * 60 * MINUTE;
let api: RunningApi;
let key: string;

const get = (path: string) => api.call('GET', path, { key });
const iso = (ms: number) => new Date(ms).toISOString();

async function beat(at: number, changes: Partial<ReceivedBeat> = {}) {
  const sight = { nowMs: at, gaps: [GAP], peersCommittedUntil: Number.POSITIVE_INFINITY };
  await commitBeats(api.database, [beatOf('job', at, changes)], sight);
}

/**
 * A day by hand, interval 10 minutes and grace 5 (NOW is 12:00): made at 6:00, beats from 7:00 on every 10 minutes
 * until 8:00, silent until 9:00, beats until 10:40, Floe away 10:50 to 11:00, a beat at 11:05, a failure at 11:15,
 * a beat at 11:20, paused 11:25 to 11:30, silent after that. So: healthy 7:00–8:15, failing 8:15–9:00, healthy
 * 9:00–10:50, unknown, healthy 11:00–11:15, failing 11:15–11:20, healthy 11:20–11:25, paused, waiting, failing 11:45–.
 */
before(async () => {
  api = await runApi({
    engine: {
      evaluationContext: () => ({ nowMs: now, committedUntil: now, gaps: [GAP], rewindCount: 0 }),
      changeContext: async () => ({ nowMs: now, committedUntil: now, gaps: [GAP], rewindCount: 0 }),
    },
  });
  key = (await api.addKey('acme')).key;
  await api.call('PUT', JOB, { key, body: { expected_interval_minutes: 10, grace_period_minutes: 5 } });
  const at = (hour: number, minute: number) => API_TEST_NOW + ((hour - 12) * 60 + minute) * MINUTE;
  for (let minute = 0; minute <= 60; minute += 10)
    await beat(at(7, minute), minute === 0 ? { metadataJson: '{"host":"=cmd()","n":1}' } : {});
  await sweepDueMonitors(api.database, { gaps: [GAP], committedUntil: at(8, 50), nowMs: at(8, 50) });
  for (let minute = 0; minute <= 100; minute += 10) await beat(at(9, minute));
  await beat(at(11, 5));
  await beat(at(11, 15), { kind: 'fail', error: 'exit "1", badly' });
  await beat(at(11, 20));
  now = at(11, 25);
  await api.call('POST', `${JOB}/pause`, { key });
  now = at(11, 30);
  await api.call('POST', `${JOB}/resume`, { key });
  now = API_TEST_NOW;
  await sweepDueMonitors(api.database, { gaps: [GAP], committedUntil: now, nowMs: now });
});
after(() => api.close());

test('uptime matches a manual timeline: unknown, paused and waiting time is excluded', async () => {
  const { body } = await get(
    `${JOB}/uptime?from=${iso(API_TEST_NOW - 5 * 60 * MINUTE)}&to=${iso(API_TEST_NOW)}`,
  );
  const healthy = (75 + 110 + 15 + 5) * 60;
  const failing = (45 + 5 + 15) * 60;
  assert.deepEqual(
    [body.healthy_seconds, body.downtime_seconds, body.unknown_seconds, body.incidents],
    [healthy, failing, 600, 3],
  );
  assert.equal(body.uptime_ratio, healthy / (healthy + failing));
  const part = await get(
    `${JOB}/uptime?from=${iso(API_TEST_NOW - 4 * 60 * MINUTE)}&to=${iso(API_TEST_NOW - 180 * MINUTE)}`,
  );
  assert.deepEqual([part.body.healthy_seconds, part.body.downtime_seconds], [15 * 60, 45 * 60]);
  const before = await get(`${JOB}/uptime?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z`);
  assert.equal(before.body.uptime_ratio, null);
  const wrong = await get(`${JOB}/uptime?from=${iso(API_TEST_NOW)}&to=${iso(API_TEST_NOW - 1)}`);
  assert.equal(wrong.body.error?.param, 'from');
});

test('periods are the timeline in pages, newest first', async () => {
  const range = `from=${iso(API_TEST_NOW - 5 * 60 * MINUTE)}&to=${iso(API_TEST_NOW)}`;
  const all = await get(`${JOB}/periods?${range}`);
  const states = listResponseEntries(all.body.data).map(({ status }) => status);
  assert.deepEqual(states, [
    'failing',
    'waiting',
    'paused',
    'healthy',
    'failing',
    'healthy',
    'unknown',
    'healthy',
    'failing',
    'healthy',
  ]);
  assert.equal(listResponseEntries(all.body.data)[0]?.ended_at, null);
  const paged: unknown[] = [];
  let cursor = '';
  do {
    const page = await get(`${JOB}/periods?${range}&limit=4${cursor}`);
    paged.push(...listResponseEntries(page.body.data));
    cursor = page.body.next_cursor === null ? '' : `&cursor=${page.body.next_cursor}`;
  } while (cursor !== '');
  assert.deepEqual(paged, all.body.data);
});

test('each missed beat is a check with the specified message; checks are filtered and paged', async () => {
  const missed = await get(`${JOB}/checks?status=missed`);
  assert.deepEqual(
    listResponseEntries(missed.body.data).map(({ expected_at }) => String(expected_at).slice(11, 16)),
    ['11:50', '11:40', '08:50', '08:40', '08:30', '08:20', '08:10'],
  );
  assert.ok(listResponseEntries(missed.body.data).every(({ error }) => Object.is(error, MISSED_BEAT_ERROR)));
  const page = await get(`${JOB}/checks?status=missed&limit=4`);
  const rest = await get(`${JOB}/checks?status=missed&limit=4&cursor=${page.body.next_cursor}`);
  assert.deepEqual(
    [
      listResponseEntries(page.body.data).length,
      listResponseEntries(rest.body.data).length,
      rest.body.next_cursor,
    ],
    [4, 3, null],
  );
  const failed = await get(`${JOB}/checks?status=failed`);
  assert.equal(listResponseEntries(failed.body.data)[0]?.error, 'exit "1", badly');
  const counts = async (status: string) =>
    new Set(
      listResponseEntries((await get(`${JOB}/checks?status=${status}`)).body.data).map(
        ({ missed_count }) => missed_count,
      ),
    );
  assert.deepEqual(
    [await counts('missed'), await counts('ok'), await counts('failed'), await counts('unknown')],
    [new Set([1]), new Set([0]), new Set([0]), new Set([0])],
    'only a missed beat counts as missed',
  );
  assert.equal((await get(`${JOB}/checks?status=red`)).status, 400);
});

test('checks are exported completely, as CSV without formulas and as NDJSON', async () => {
  const csv = await get(`${JOB}/checks/export`);
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8');
  assert.match(csv.headers['content-disposition'] ?? '', /^attachment; filename="job-checks\.csv"$/);
  const lines = csv.text.trimEnd().split('\r\n');
  const ndjson = await get(`${JOB}/checks/export?format=ndjson`);
  const checks = ndjson.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines.length - 1, checks.length);
  assert.match(csv.text, /,"exit ""1"", badly",/);
  assert.match(csv.text, /"\{""host"":""=cmd\(\)"",""n"":1\}"/);
  assert.deepEqual(checks.at(-1)?.metadata, { host: '=cmd()', n: 1 });
  const few = await get(
    `${JOB}/checks/export?format=ndjson&status=missed&from=${iso(API_TEST_NOW - 210 * MINUTE)}&to=${iso(API_TEST_NOW - 60 * MINUTE)}`,
  );
  assert.equal(few.text.trimEnd().split('\n').length, 3);
  assert.equal((await get('/api/monitoring/monitors/nobody/checks/export')).status, 404);
});

test('a board matches the history for each day in its own time zone', async () => {
  const groups = [{ name: 'Jobs', monitors: ['job'] }];
  const made = await api.call('POST', BOARDS, {
    key,
    body: { slug: 'hist', groups, timezone: 'Asia/Tokyo' },
  });
  assert.equal(made.status, 201, made.text);
  const { body } = await get(`${BOARDS}/hist/status`);
  const [group] = listResponseEntries(body.groups);
  const [monitor] = listResponseEntries(group?.monitors);
  assert.ok(monitor);
  assert.equal(listResponseEntries(monitor.days).length, 90);
  const uptime = (await get(`${JOB}/uptime?from=${iso(API_TEST_NOW - 90 * 24 * 60 * MINUTE)}`)).body;
  assert.equal(monitor.uptime_ratio, uptime.uptime_ratio);
  assert.equal(monitor.downtime_seconds, uptime.downtime_seconds);
  const today = listResponseEntries(monitor.days).at(-1);
  assert.ok(today);
  assert.deepEqual(
    [today.date, today.healthy_seconds, today.failing_seconds, today.unknown_seconds, today.paused_seconds],
    ['2026-11-21', 205 * 60, 65 * 60, 600, 300],
  );
  assert.deepEqual(
    listResponseEntries(body.downtime).map((one) => [
      String(one.started_at).slice(11, 16),
      one.downtime_seconds,
    ]),
    [
      ['11:45', 900],
      ['11:15', 300],
      ['08:15', 2700],
    ],
  );
});

test('boards are private by default, accept PUT with what GET returned, and contain existing monitors only', async () => {
  const path = `${BOARDS}/gitops`;
  const groups = [{ name: 'Jobs', monitors: ['job'] }];
  const made = await api.call('PUT', path, { key, body: { name: 'G', groups } });
  assert.deepEqual([made.status, made.body.public, made.body.slug], [200, false, 'gitops']);
  const again = await api.call('PUT', path, { key, body: made.body });
  assert.deepEqual(again.body, made.body);
  assert.equal(
    listResponseEntries((await get(`/api/management/audit?subject=${made.body.id}`)).body.data).length,
    1,
  );
  const unknown = [{ name: 'Jobs', monitors: ['job', 'nobody'] }];
  const refused = await api.call('PATCH', path, { key, body: { groups: unknown } });
  assert.deepEqual([refused.status, refused.body.error?.param], [400, 'groups[0].monitors[1]']);
  assert.equal((await api.call('POST', BOARDS, { key, body: { slug: 'gitops' } })).status, 409);
  assert.equal((await api.call('POST', BOARDS, { key, body: { slug: 'x.json' } })).body.error?.param, 'slug');
  assert.equal((await api.call('PATCH', path, { key, body: { public: true } })).body.public, true);
  assert.equal((await api.call('DELETE', `${BOARDS}/${made.body.id}`, { key })).status, 204);
});

test('maintenance is planned once or repeatedly, and states its next start', async () => {
  const path = '/api/monitoring/maintenance';
  const once = {
    name: 'Move',
    starts_at: iso(API_TEST_NOW - MINUTE),
    ends_at: iso(API_TEST_NOW + MINUTE),
    monitors: ['job'],
  };
  const made = await api.call('POST', path, { key, body: once });
  assert.deepEqual(
    [made.status, made.body.active_until, made.body.next],
    [201, iso(API_TEST_NOW + MINUTE), []],
  );
  const ended = await api.call('PATCH', `${path}/${made.body.id}`, {
    key,
    body: { ends_at: iso(API_TEST_NOW - 1) },
  });
  assert.equal(ended.body.active_until, null);
  const weekly = {
    name: 'Sunday',
    schedule: { cron: '0 2 * * 0', timezone: 'Europe/Riga' },
    duration_minutes: 120,
    tags: ['db'],
  };
  const put = await api.call('PUT', `${path}/weekly`, { key, body: weekly });
  assert.deepEqual(listResponseEntries(put.body.next)[0], {
    starts_at: '2026-11-22T00:00:00.000Z',
    ends_at: '2026-11-22T02:00:00.000Z',
  });
  assert.deepEqual([listResponseEntries(put.body.next).length, put.body.active_until], [3, null]);
  const again = await api.call('PUT', `${path}/weekly`, { key, body: put.body });
  assert.deepEqual(again.body, put.body);
  const cases: readonly (readonly [object, string])[] = [
    [{ name: 'x' }, 'starts_at'],
    [{ ...once, ends_at: once.starts_at }, 'ends_at'],
    [{ ...weekly, duration_minutes: null }, 'duration_minutes'],
    [{ ...once, duration_minutes: 5 }, 'duration_minutes'],
    [{ ...weekly, schedule: { cron: 'now' } }, 'schedule.cron'],
    [{ ...once, monitors: ['nobody'] }, 'monitors[0]'],
  ];
  for (const [body, param] of cases) {
    const { status, body: answer } = await api.call('POST', path, { key, body });
    assert.deepEqual([status, answer.error?.param], [400, param], JSON.stringify(body));
  }
});
