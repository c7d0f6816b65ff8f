import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commitBeats } from '../monitoring/commit-beats.ts';
import { createTestBeatCall as beatOf } from '../monitoring/test/test-monitors.ts';
import { API_TEST_NOW, listResponseEntries, type RunningApi, runApi } from './test/running-api.ts';

const MINUTE = 60_000;
const MONITORS = '/api/monitoring/monitors';
const GAP = { startAt: API_TEST_NOW - 30 * 3_600_000, endAt: API_TEST_NOW - 29 * 3_600_000 };

let api: RunningApi;
let key: string;
let now = API_TEST_NOW;

const get = async (query: string) => (await api.call('GET', `${MONITORS}?${query}`, { key })).body;
const ids = async (query: string) => listResponseEntries((await get(query)).data).map(({ id }) => String(id));
const change = (body: object) => api.call('PATCH', MONITORS, { key, body });

/** A call of a job, heard `minutesAgo`. */
async function beat(id: string, minutesAgo: number, kind: 'ok' | 'fail' = 'ok') {
  const at = API_TEST_NOW - minutesAgo * MINUTE;
  const given = { nowMs: at, gaps: [], peersCommittedUntil: Number.POSITIVE_INFINITY };
  await commitBeats(api.database, [beatOf(id, at, { kind })], given);
}

before(async () => {
  api = await runApi({
    engine: {
      evaluationContext: () => ({ nowMs: now, committedUntil: now, gaps: [GAP], rewindCount: 0 }),
      changeContext: async () => ({ nowMs: now, committedUntil: now, gaps: [], rewindCount: 0 }),
    },
  });
  key = (await api.addKey('acme')).key;
  now = API_TEST_NOW - 60 * MINUTE;
  const made = { expected_interval_minutes: 60 };
  for (const [id, more] of Object.entries({
    rested: { paused: true },
    later: {},
    sooner: { tags: ['db'] },
    waits: {},
    'broke-last': {},
    'broke-first': { tags: ['db', 'late'] },
  }))
    await api.call('POST', MONITORS, { key, body: { id, ...made, ...more } });
  await beat('sooner', 50);
  await beat('later', 10);
  await beat('broke-first', 40, 'fail');
  await beat('broke-last', 5, 'fail');
  now = API_TEST_NOW;
});
after(() => api.close());

const URGENT = ['broke-first', 'broke-last', 'waits', 'sooner', 'later', 'rested'];

test('by urgency, the longest failures are first, then waiting monitors, then the nearest deadlines', async () => {
  assert.deepEqual(await ids('sort=urgency'), URGENT);
  assert.deepEqual(await ids('sort=urgency&status=failing'), ['broke-first', 'broke-last']);
  assert.deepEqual(await ids('sort=urgency&tag=db'), ['broke-first', 'sooner']);
});

test('pages of any size contain the same list, without duplicates or missing rows', async () => {
  for (const limit of [1, 2, 5]) {
    const found: string[] = [];
    let cursor = '';
    do {
      const page = await get(`sort=urgency&limit=${limit}${cursor && `&cursor=${cursor}`}`);
      found.push(...listResponseEntries(page.data).map(({ id }) => String(id)));
      cursor = String(page['next_cursor'] ?? '');
    } while (cursor !== '' && found.length < 20);
    assert.deepEqual(found, URGENT, `${limit} a page`);
  }
});

test('a list of named monitors returns those that exist, and rejects too many names', async () => {
  assert.deepEqual((await ids('ids=waits,none,later')).toSorted(), ['later', 'waits']);
  assert.deepEqual(await ids('source=file'), []);
  const many = Array.from({ length: 101 }, (_, index) => `m${index}`).join();
  assert.equal((await get(`ids=${many}`)).error?.param, 'ids');
});

test('one change pauses, mutes and tags several monitors; missing ones are listed; each has an audit entry', async () => {
  const until = new Date(API_TEST_NOW + 60 * MINUTE).toISOString();
  const { status, body } = await change({
    ids: ['later', 'sooner', 'none'],
    muted_until: until,
    add_tags: ['nightly'],
    remove_tags: ['db'],
  });
  assert.equal(status, 200);
  assert.deepEqual(body['changed'], ['later', 'sooner']);
  assert.deepEqual(
    listResponseEntries(body['failed']).map(({ id, code }) => `${id} ${code}`),
    ['none monitor_not_found'],
  );
  const found = listResponseEntries((await get('ids=later,sooner')).data);
  for (const one of found) assert.deepEqual([one['muted_until'], one['tags']], [until, ['nightly']]);
  const paused = await change({ ids: ['later', 'rested'], paused: true });
  assert.deepEqual([paused.body['changed'], paused.body['unchanged']], [['later'], ['rested']]);
  assert.deepEqual((await ids('status=paused')).toSorted(), ['later', 'rested']);
  const audit = await api.call('GET', '/api/management/audit?subject=later&action=monitors.update', { key });
  assert.equal(listResponseEntries(audit.body.data).length, 2);
});

test('a bulk change without fields, with too many monitors or a missing channel changes nothing', async () => {
  const before = await get('sort=urgency');
  assert.equal((await change({ ids: ['later'] })).status, 400);
  assert.equal((await change({ ids: Array(101).fill('later'), paused: true })).status, 400);
  const { status, body } = await change({ ids: ['later', 'sooner'], channels: ['none'] });
  assert.deepEqual([status, body.error?.param], [400, 'channels[0]']);
  assert.deepEqual(await get('sort=urgency'), before);
});

test('gaps are listed if they overlap the range', async () => {
  const gaps = async (query = '') =>
    listResponseEntries((await api.call('GET', `/api/monitoring/gaps${query}`, { key })).body.data);
  assert.deepEqual(
    (await gaps()).map(({ started_at, ended_at }) => [started_at, ended_at].map(String)),
    [[GAP.startAt, GAP.endAt].map((at) => new Date(at).toISOString())],
  );
  assert.deepEqual(await gaps(`?from=${new Date(GAP.endAt).toISOString()}`), []);
});
