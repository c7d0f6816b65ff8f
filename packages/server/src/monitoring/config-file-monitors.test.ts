import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { createResourceKindSyncFactory } from '../platform/config-file-sync.ts';
import { syncTestOrgs } from '../platform/test/sync-orgs.ts';
import { findMonitorById, listMonitorsOfOrg } from '../store/monitoring/monitors.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import type { Database, DatabaseWriter } from '../store/store-interfaces.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { commitBeats } from './commit-beats.ts';
import { createConfigFileMonitorResourceKind } from './config-file-monitors.ts';
import { applyDefaultGracePeriod, createMonitor, deleteMonitor } from './monitors.ts';
import { sweepDueMonitors } from './sweep.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  loadRecordedHistory,
  MINUTE,
  MONITOR_TEST_ORG,
  MONITOR_TEST_START,
  runMonitorChange,
} from './test/test-monitors.ts';

async function open(t: TestContext): Promise<Database> {
  const database = await openSqlite(join(createTemporaryDirectory(t), 'floe.db'), {
    log: silentLog,
    clock: systemClock,
  });
  t.after(() => database.close());
  await addTestOrg(database);
  return database;
}

interface FileMore {
  readonly graceMinutes?: number;
  readonly line?: number;
  readonly count?: () => void;
}

/** Takes over a file with these monitors at `nowMs`. */
async function file(
  database: Database,
  nowMs: number,
  monitors: readonly object[],
  { graceMinutes = 5, line = 7, count = () => undefined }: FileMore = {},
) {
  await runMonitorChange(database, { nowMs }, async (context) => {
    const writer = counting(context.writer, count);
    await applyDefaultGracePeriod({ ...context, writer }, MONITOR_TEST_ORG, graceMinutes * MINUTE);
    const kinds = [
      createResourceKindSyncFactory(createConfigFileMonitorResourceKind({ ...context, writer })),
    ];
    await syncTestOrgs(writer, kinds, [{ id: MONITOR_TEST_ORG, monitors }], { nowMs, line });
  });
}

async function beat(database: Database, id: string, at: number) {
  const context = { nowMs: at, gaps: [], peersCommittedUntil: Number.POSITIVE_INFINITY };
  return (await commitBeats(database, [createTestBeatCall(id, at)], context))[0];
}

async function dueAt(database: Database, id: string) {
  const state = await database.read
    .selectFrom('monitor_clocks')
    .select('due_at')
    .where('id', '=', id)
    .executeTakeFirst();
  return state?.due_at;
}

const audits = (database: Database) =>
  database.read.selectFrom('audit').select(['action', 'subject']).orderBy('at').orderBy('id').execute();

test('monitors of the file are created once, and an unchanged file changes nothing', async (t) => {
  const database = await open(t);
  const monitors = [{ id: 'job', expected_interval_minutes: 10, tags: ['etl'] }];
  await file(database, MONITOR_TEST_START, monitors);
  await file(database, MONITOR_TEST_START + MINUTE, monitors);
  assert.deepEqual(await audits(database), [{ action: 'monitors.create', subject: 'job' }]);
  const row = await findMonitorById(database.read, MONITOR_TEST_ORG, 'job');
  assert.deepEqual([row?.source, row?.updated_at, row?.name], ['file', MONITOR_TEST_START, 'job']);
});

test('a monitor that moved in the file has its new line, and is otherwise unchanged', async (t) => {
  const database = await open(t);
  const monitors = [{ id: 'job', expected_interval_minutes: 10 }];
  await file(database, MONITOR_TEST_START, monitors);
  await file(
    database,
    MONITOR_TEST_START + MINUTE,
    [{ id: 'first', expected_interval_minutes: 10 }, ...monitors],
    {
      line: 8,
    },
  );
  const row = await findMonitorById(database.read, MONITOR_TEST_ORG, 'job');
  assert.deepEqual(
    [row?.source_file, row?.source_line, row?.updated_at],
    ['floe.yaml', 8, MONITOR_TEST_START],
  );
  assert.equal((await audits(database)).filter(({ subject }) => subject === 'job').length, 1);
});

test('an existing monitor with the same id keeps its history and status when the file defines it', async (t) => {
  const database = await open(t);
  const { row: made } = await runMonitorChange(database, { nowMs: MONITOR_TEST_START }, (changing) =>
    createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition('job')),
  );
  await beat(database, 'job', MONITOR_TEST_START + 10_000);
  await file(database, MONITOR_TEST_START + 20_000, [
    { id: 'job', name: 'The job', expected_interval_minutes: 1 },
  ]);
  const row = await findMonitorById(database.read, MONITOR_TEST_ORG, 'job');
  assert.deepEqual([row?.uid, row?.source, row?.name], [made.uid, 'file', 'The job']);
  assert.equal(await dueAt(database, 'job'), MONITOR_TEST_START + 10_000 + MINUTE + 5 * MINUTE);
});

test('a monitor that leaves the file accepts no beats and keeps its history, which continues when it returns', async (t) => {
  const database = await open(t);
  const monitors = [{ id: 'job', expected_interval_minutes: 1 }];
  await file(database, MONITOR_TEST_START, monitors);
  await beat(database, 'job', MONITOR_TEST_START + 10_000);
  await file(database, MONITOR_TEST_START + 20_000, []);
  assert.equal(await beat(database, 'job', MONITOR_TEST_START + 30_000), 'unknown');
  await sweepDueMonitors(database, {
    gaps: [],
    committedUntil: MONITOR_TEST_START + 60 * MINUTE,
    nowMs: MONITOR_TEST_START + 60 * MINUTE,
  });
  const [row] = await listMonitorsOfOrg(database.read, MONITOR_TEST_ORG);
  assert.equal(row?.disabled_at, MONITOR_TEST_START + 20_000);
  await file(database, MONITOR_TEST_START + 90 * MINUTE, monitors);
  await beat(database, 'job', MONITOR_TEST_START + 91 * MINUTE);
  const { checks, periods } = await loadRecordedHistory(database, row?.uid ?? '');
  assert.equal(checks.length, 2);
  assert.deepEqual(
    periods.map((line) => line.split(' ')[1]),
    ['waiting', 'healthy', 'paused', 'waiting', 'healthy'],
  );
  assert.deepEqual(
    (await audits(database)).map(({ action }) => action),
    ['monitors.create', 'monitors.delete', 'monitors.update'],
  );
});

test('a monitor that was removed with the API and created again has its history', async (t) => {
  const database = await open(t);
  const create = (at: number) =>
    runMonitorChange(database, { nowMs: at }, (changing) =>
      createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition('job')),
    );
  const { row } = await create(MONITOR_TEST_START);
  await beat(database, 'job', MONITOR_TEST_START + 10_000);
  await runMonitorChange(database, { nowMs: MONITOR_TEST_START + 20_000 }, (changing) =>
    deleteMonitor(changing, row),
  );
  assert.equal(await beat(database, 'job', MONITOR_TEST_START + 30_000), 'unknown');
  assert.equal((await create(MONITOR_TEST_START + 40_000)).row.uid, row.uid);
  await beat(database, 'job', MONITOR_TEST_START + 50_000);
  assert.equal((await loadRecordedHistory(database, row.uid)).checks.length, 2);
});

test('a changed grace period of the organization changes exactly the deadlines that inherit it', async (t) => {
  const database = await open(t);
  const monitors = [
    { id: 'own', expected_interval_minutes: 10, grace_period_minutes: 1 },
    { id: 'org', expected_interval_minutes: 10 },
  ];
  await file(database, MONITOR_TEST_START, monitors);
  for (const { id } of monitors) await beat(database, id, MONITOR_TEST_START);
  const before = MONITOR_TEST_START + 10 * MINUTE;
  assert.deepEqual(await Promise.all(monitors.map(({ id }) => dueAt(database, id))), [
    before + MINUTE,
    before + 5 * MINUTE,
  ]);
  await file(database, MONITOR_TEST_START + MINUTE, monitors, { graceMinutes: 30 });
  assert.deepEqual(await Promise.all(monitors.map(({ id }) => dueAt(database, id))), [
    before + MINUTE,
    before + 30 * MINUTE,
  ]);
});

/** Calls `count` for each statement that a transaction sends. */
function counting(writer: DatabaseWriter, count: () => void): DatabaseWriter {
  const executor = writer.getExecutor();
  const run = executor.executeQuery.bind(executor);
  executor.executeQuery = (query) => {
    count();
    return run(query);
  };
  return writer;
}

test('the number of statements does not depend on the number of monitors', async (t) => {
  const database = await open(t);
  const counts: number[] = [];
  for (const [size, tags] of [
    [20, ['a']],
    [900, ['a']],
    [900, ['b']],
    [0, []],
  ] as const) {
    const monitors = Array.from({ length: size }, (_, n) => ({
      id: `job-${n}`,
      tags,
      expected_interval_minutes: 1,
    }));
    let statements = 0;
    const count = () => {
      statements += 1;
    };
    await file(database, MONITOR_TEST_START + counts.length, monitors, { count });
    counts.push(statements);
  }
  // Up to a hundred audit entries are told one by one to those who watch.
  const [few = 0] = counts;
  assert.ok(few > 20);
  for (const many of counts) assert.ok(many < few + 110, counts.join());
});
