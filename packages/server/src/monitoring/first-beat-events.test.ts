import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { silentLog } from '../core/log.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { commitBeats } from './commit-beats.ts';
import { createMonitor } from './monitors.ts';
import type { ReceivedBeat } from './received-beat.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  MINUTE,
  MONITOR_TEST_ORG,
  MONITOR_TEST_START,
  runMonitorChange,
} from './test/test-monitors.ts';

test('event streams report the first beat of a monitor once, and no later beat', async (t) => {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock: new FakeClock() });
  t.after(() => database.close());
  await addTestOrg(database);
  await runMonitorChange(database, { nowMs: MONITOR_TEST_START }, async (changing) => {
    for (const id of ['nightly', 'hourly', 'silent'])
      await createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition(id));
  });
  const beats = (ids: readonly string[], at: number, kind: ReceivedBeat['kind'] = 'ok') =>
    commitBeats(
      database,
      ids.map((id) => createTestBeatCall(id, at, { kind })),
      { nowMs: at, gaps: [], peersCommittedUntil: at },
    );
  const told = async () => {
    const rows = await database.read
      .selectFrom('live_events')
      .select('data_json')
      .where('topic', '=', 'monitors')
      .orderBy('seq')
      .execute();
    return rows.map(({ data_json }) => JSON.parse(data_json));
  };
  await beats(['nightly'], MONITOR_TEST_START + MINUTE / 4, 'start');
  assert.deepEqual(await told(), [], 'a run that begins is no beat yet');
  await beats(['nightly', 'hourly', 'nightly'], MONITOR_TEST_START + MINUTE / 2);
  const first = { count: 2, first_beats: ['nightly', 'hourly'] };
  assert.deepEqual(await told(), [first]);
  await beats(['nightly', 'hourly'], MONITOR_TEST_START + MINUTE);
  assert.deepEqual(await told(), [first]);
});
