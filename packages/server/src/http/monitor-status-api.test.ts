import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { commitBeats } from '../monitoring/commit-beats.ts';
import { createTestBeatCall as beatOf } from '../monitoring/test/test-monitors.ts';
import { API_TEST_NOW, listResponseEntries, type RunningApi, runApi } from './test/running-api.ts';

let api: RunningApi;
let now = API_TEST_NOW - 60 * 60_000;
let key: string;
let foreign: string;
before(async () => {
  api = await runApi({
    engine: {
      evaluationContext: () => ({ nowMs: now, committedUntil: now, gaps: [], rewindCount: 0 }),
      changeContext: async () => ({ nowMs: now, committedUntil: now, gaps: [], rewindCount: 0 }),
    },
  });
  key = (await api.addKey('acme')).key;
  foreign = (await api.addKey('other')).key;
  for (const id of ['backup', 'report'])
    await api.call('POST', '/api/monitoring/monitors', { key, body: { id, expected_interval_minutes: 60 } });
  const at = API_TEST_NOW - 30 * 60_000;
  await commitBeats(api.database, [beatOf('backup', at)], {
    nowMs: at,
    gaps: [],
    peersCommittedUntil: Number.POSITIVE_INFINITY,
  });
  now = API_TEST_NOW;
});
after(() => api.close());

test('one response has the number of monitors in each status and the last day of the named ones', async () => {
  const { body } = await api.call('GET', '/api/monitoring/status?monitors=backup,report,none', { key });
  assert.deepEqual(body.counts, { failing: 0, waiting: 1, paused: 0, healthy: 1 });
  const recent = listResponseEntries(body.recent);
  assert.deepEqual(recent.map(({ id }) => id).toSorted(), ['backup', 'report']);
  const backup = recent.find(({ id }) => String(id) === 'backup');
  assert.deepEqual([backup?.['uptime_ratio'], backup?.['history_since']], [1, null]);
  const slices = listResponseEntries(backup?.['intervals']);
  assert.equal(slices.length, 48);
  assert.equal(slices.at(-1)?.['healthy_seconds'], 1800);
  assert.equal(slices.at(-2)?.['healthy_seconds'], 0);
});

test('another organization sees nothing, and too many monitors are rejected', async () => {
  const { body } = await api.call('GET', '/api/monitoring/status?monitors=backup', { key: foreign });
  assert.deepEqual([body.counts, body.recent], [{ failing: 0, waiting: 0, paused: 0, healthy: 0 }, []]);
  const many = Array.from({ length: 101 }, (_, index) => `m${index}`).join();
  const refused = await api.call('GET', `/api/monitoring/status?monitors=${many}`, { key });
  assert.deepEqual([refused.status, refused.body.error?.param], [400, 'monitors']);
});

test('an unsaved board is rendered like the public page without deleted monitors, and not stored', async () => {
  const body = {
    slug: 'draft',
    name: 'Acme <b>',
    groups: [{ name: 'Jobs', monitors: ['backup', 'deleted'] }],
  };
  const drawn = await api.call('POST', '/api/monitoring/boards/preview', { key, body });
  assert.equal(drawn.status, 200, drawn.text);
  assert.ok(isJsonObject(drawn.body));
  const page = String(Reflect.get(drawn.body, 'html'));
  assert.match(page, /^<!doctype html>/);
  assert.match(page, /Acme &lt;b&gt;/);
  assert.match(page, /backup/);
  assert.doesNotMatch(page, /deleted/);
  const boards = await api.call('GET', '/api/monitoring/boards', { key });
  assert.deepEqual(boards.body.data, []);
});
