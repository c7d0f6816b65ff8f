import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { openDatabase } from '../store/open-database.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { createMonitoringCounters, renderMonitoringMetrics } from './monitoring-metrics.ts';
import { createMonitor } from './monitors.ts';
import {
  addTestOrg,
  createTestMonitorDefinition,
  MONITOR_TEST_START,
  runMonitorChange,
} from './test/test-monitors.ts';

test('an organization with many monitors does not displace the metrics of another one', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock: systemClock });
  t.after(() => database.close());
  const counts = { greedy: 1_100, small: 3 };
  for (const [orgId, count] of Object.entries(counts)) {
    await addTestOrg(database, orgId);
    await runMonitorChange(database, { nowMs: MONITOR_TEST_START }, async (context) => {
      for (let n = 0; n < count; n += 1)
        await createMonitor(context, orgId, createTestMonitorDefinition(`m${n}`));
    });
  }
  await database.transaction((writer) =>
    writer.updateTable('monitor_clocks').set({ status: 'healthy' }).execute(),
  );
  const text = await renderMonitoringMetrics(database, createMonitoringCounters());
  const series = (orgId: string) => text.split(`floe_monitor_up{org="${orgId}",`).length - 1;
  assert.deepEqual([series('greedy'), series('small')], [997, 3]);
  await database.transaction((writer) =>
    writer.updateTable('monitor_clocks').set({ status: 'paused' }).where('id', '<', 'm95').execute(),
  );
  const few = await renderMonitoringMetrics(database, createMonitoringCounters());
  assert.equal(few.split('floe_monitor_up{org="greedy",').length - 1, 55, 'paused monitors take no place');
  assert.match(few, /^floe_monitors\{status="healthy"\} 55$/m);
  assert.match(few, /^floe_monitors\{status="paused"\} 1048$/m);
});
