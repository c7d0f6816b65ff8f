import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { silentLog } from '../core/log.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { MonitorStateCache } from './monitor-state-cache.ts';
import { createMonitor } from './monitors.ts';
import {
  addTestOrg,
  createTestMonitorDefinition,
  MONITOR_TEST_ORG,
  MONITOR_TEST_START,
  runMonitorChange,
} from './test/test-monitors.ts';

test('a monitor that was deleted and created again remains cached when its old state is evicted', async (t) => {
  const database = await openSqlite(join(createTemporaryDirectory(t), 'floe.db'), {
    log: silentLog,
    clock: new FakeClock(),
  });
  t.after(() => database.close());
  await addTestOrg(database);
  await runMonitorChange(database, { nowMs: MONITOR_TEST_START }, (changing) =>
    createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition('nightly')),
  );
  const [before] = await database.read.selectFrom('monitor_clocks').selectAll().execute();
  assert.ok(before);
  const after = { ...before, uid: 'mon_anew', token_hash: 'another' };
  const states = new MonitorStateCache();
  states.set(before);
  states.set(after);
  states.delete(before.uid);
  assert.equal(states.get({ orgId: MONITOR_TEST_ORG, id: 'nightly' }), after);
  assert.equal(states.get({ tokenHash: 'another' }), after);
  assert.equal(states.get({ tokenHash: before.token_hash }), undefined);
});
