import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Kysely } from 'kysely';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { expireBeatIdempotencyKeys, expireMonitorHistory } from '../store/monitoring/monitor-history.ts';
import { insertBeatIdempotencyKeys, insertMonitorPeriods } from '../store/monitoring/monitor-states.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import type { Database, DatabaseReader } from '../store/store-interfaces.ts';
import { createQueryCounter } from '../store/test/query-counter.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { commitBeats } from './commit-beats.ts';
import type { MonitorStatusSpan } from './monitor-status-spans.ts';
import { createMonitor } from './monitors.ts';
import { readMonitorStatusSpanPage, readMonitorUptime, requireMonitorView } from './read-monitors.ts';
import { loadRecentMonitorHistory } from './recent-monitor-history.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  MINUTE,
  MONITOR_TEST_ORG,
  MONITOR_TEST_START,
  runMonitorChange,
} from './test/test-monitors.ts';

/** A monitor that alternates between healthy and failing, and a reader that counts the rows it reads. */
async function openFlapping(t: TestContext, periodCount: number, intervalMs: number, gapEndMs = -1) {
  const database = await openSqlite(join(createTemporaryDirectory(t), 'floe.db'), {
    log: silentLog,
    clock: systemClock,
  });
  t.after(() => database.close());
  await addTestOrg(database);
  await runMonitorChange(database, { nowMs: MONITOR_TEST_START }, (changing) =>
    createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition('job')),
  );
  const nowMs = MONITOR_TEST_START + periodCount * intervalMs;
  const gap = { startAt: nowMs - 7 * intervalMs + 1, endAt: nowMs - 4 * intervalMs + gapEndMs };
  const context = { nowMs, committedUntil: 0, gaps: [gap] };
  const view = await requireMonitorView(database.read, MONITOR_TEST_ORG, 'job', context);
  const rows = Array.from({ length: periodCount - 1 }, (_, index) => ({
    uid: view.row.uid,
    started_at: MONITOR_TEST_START + (index + 1) * intervalMs,
    status: index % 2 === 0 ? 'healthy' : 'failing',
    reason: 'beat',
  }));
  await database.rowTransaction((writer) => insertMonitorPeriods(writer, rows));
  const { counts: read, plugin } = createQueryCounter();
  assert.ok(database.read instanceof Kysely);
  const reader: DatabaseReader = database.read.withPlugin(plugin);
  return { database, reader, read, view, context };
}

for (const [end, gapEndMs] of [
  ['at the end of a period', -1],
  ['inside a period', 1],
] as const)
  test(`a page of status periods reads only about as many periods as it contains, and the pages are complete if a gap ends ${end}`, async (t) => {
    const { reader, read, view, context } = await openFlapping(t, 300, MINUTE, gapEndMs);
    const range = { fromMs: MONITOR_TEST_START + MINUTE / 2, toMs: context.nowMs };
    const whole = await readMonitorStatusSpanPage(reader, view, { ...range, limit: 1_000 }, context);
    assert.equal(whole.nextToMs, null);
    for (const limit of [1, 2, 5]) {
      const spans: MonitorStatusSpan[] = [];
      let pages = 0;
      read.rows = 0;
      for (let toMs: number | null = range.toMs; toMs !== null; pages++) {
        const page = await readMonitorStatusSpanPage(reader, view, { ...range, toMs, limit }, context);
        spans.push(...page.spans);
        toMs = page.nextToMs;
      }
      assert.deepEqual(spans, whole.spans);
      // Only pages that end in the gap read more.
      assert.ok(read.rows <= (pages + 2) * (limit + 3), `${read.rows} rows`);
    }
    assert.equal(whole.spans.filter(({ status }) => status === 'unknown').length, 1);
  });

test('uptimes are computed from a limited number of periods, and state from when on', async (t) => {
  const { reader, read, view, context } = await openFlapping(t, 20_100, 1_000);
  const range = { fromMs: MONITOR_TEST_START, toMs: context.nowMs };
  const uptime = await readMonitorUptime(reader, view, range, context);
  assert.ok(read.rows <= 20_002, `${read.rows} rows`);
  assert.equal(uptime.fromMs, context.nowMs - 20_000 * 1_000);
  assert.equal(uptime.healthyMs + uptime.downtimeMs + uptime.unknownMs, 20_000 * 1_000);
  read.rows = 0;
  const [recent] = await loadRecentMonitorHistory(reader, MONITOR_TEST_ORG, ['job'], context);
  assert.ok(read.rows <= 20_003, `${read.rows} rows`);
  assert.equal(recent?.historySince, uptime.fromMs);
  assert.ok(Math.abs((recent?.uptimeRatio ?? 0) - 0.5) < 0.01);
});

test('expired periods and idempotency keys are deleted in batches, between which other changes can run', async (t) => {
  const { database, view } = await openFlapping(t, 5_001, MINUTE);
  const { uid } = view.row;
  const keys = Array.from({ length: 4_500 }, (_, index) => ({
    uid,
    key: `key ${index}`,
    beat_id: `beat_${index}`,
    received_at: index,
  }));
  await database.rowTransaction((writer) => insertBeatIdempotencyKeys(writer, keys));
  const sizes: number[] = [];
  const counted: Pick<Database, 'read' | 'rowTransaction'> = {
    read: database.read,
    rowTransaction: (work) =>
      database.rowTransaction(async (writer) => {
        const before = await countRows(writer);
        const result = await work(writer);
        sizes.push(before - (await countRows(writer)));
        return result;
      }),
  };
  const context = { nowMs: MONITOR_TEST_START, gaps: [], peersCommittedUntil: Number.POSITIVE_INFINITY };
  await commitBeats(database, [createTestBeatCall('job', MONITOR_TEST_START)], context);
  await expireMonitorHistory(counted, MONITOR_TEST_START + 4_900 * MINUTE);
  while (await expireBeatIdempotencyKeys(counted, 4_000));
  const rows = await countRows(database.read);
  assert.equal(rows, 5_001 - 4_900 + 500, `${rows} rows are left`);
  assert.ok(Math.max(...sizes) <= 2_000, `${sizes}`);
});

async function countRows(reader: DatabaseReader): Promise<number> {
  const periods = await reader.selectFrom('monitor_periods').select('uid').execute();
  return periods.length + (await reader.selectFrom('beat_keys').select('uid').execute()).length;
}
