import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { silentLog } from '../core/log.ts';
import { importSqliteDatabase } from '../store/import-sqlite.ts';
import { insertMonitorChecks } from '../store/monitoring/monitor-states.ts';
import { recordMonitoringLiveness } from '../store/monitoring/monitoring-liveness.ts';
import { findMonitorById } from '../store/monitoring/monitors.ts';
import { openDatabase } from '../store/open-database.ts';
import type { Database } from '../store/store-interfaces.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { commitBeats } from './commit-beats.ts';
import { createMonitor } from './monitors.ts';
import { sweepDueMonitors } from './sweep.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  loadRecordedHistory,
  MINUTE,
  MONITOR_TEST_ORG,
  runMonitorChange,
} from './test/test-monitors.ts';

const parts = { log: silentLog, clock: new FakeClock() };
const IDS = ['fine', 'dead'];

/** A day ago: PostgreSQL goes by its own clock. */
const START = Date.now() - 1_440 * MINUTE;

async function history(database: Database, id: string) {
  const row = await findMonitorById(database.read, MONITOR_TEST_ORG, id);
  assert.ok(row);
  return loadRecordedHistory(database, row.uid);
}

function pulse(database: Database, at: number) {
  const given = {
    processId: 'one',
    estimateNowMs: () => null,
    acceptedUntilMs: null,
    gapThresholdMs: () => 3_500,
    leaseTimeoutMs: 3_500,
    presence: 'present',
    startedAt: null,
  } as const;
  return database.rowTransaction((writer) =>
    recordMonitoringLiveness(writer, { ...given, readWallMs: () => at, gapsUntilMs: 0 }),
  );
}

async function beats(database: Database, ids: readonly string[], at: number) {
  const context = { nowMs: at, gaps: [], peersCommittedUntil: Number.POSITIVE_INFINITY };
  const calls = ids.map((id) => createTestBeatCall(id, at, { idempotencyKey: `${id} ${at}` }));
  await commitBeats(database, calls, context);
}

test('monitors move to PostgreSQL with their status and history, and the time of the move is not a failure', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const from = `sqlite:${join(dataDir, 'floe.db')}`;
  const source = await openDatabase(from, { ...parts, dataDir });
  await addTestOrg(source);
  await runMonitorChange(source, { nowMs: START }, async (changing) => {
    for (const id of IDS) await createMonitor(changing, MONITOR_TEST_ORG, createTestMonitorDefinition(id));
  });
  await beats(source, IDS, START + 1_000);
  await beats(source, ['fine'], START + MINUTE);
  await pulse(source, START + 90_000);
  await sweepDueMonitors(source, { gaps: [], committedUntil: START + 90_000, nowMs: START + 90_000 });
  await beats(source, IDS, START + 2 * MINUTE);
  await pulse(source, START + 2 * MINUTE);
  // More than one batch, which ends in the middle of a monitor and of the checks of one time.
  const { uid } = await source.read
    .selectFrom('monitors')
    .select('uid')
    .orderBy('uid')
    .executeTakeFirstOrThrow();
  const many = Array.from({ length: 4_500 }, (_, n) => ({
    ...{ uid, at: START + (n % 3), id: `chk_${n}`, status: 'logged', error: null, expected_at: null },
    ...{ detected_at: START, received_at: START, duration_ms: null, metadata_json: null, missed_count: 1 },
  }));
  await source.transaction((writer) => insertMonitorChecks(writer, many));
  const histories = await Promise.all(IDS.map((id) => history(source, id)));
  await source.close();
  const url = await createTestDatabase(t);
  await importSqliteDatabase(from, { url, dataDir }, parts);
  const target = await openDatabase(url, { ...parts, dataDir });
  t.after(() => target.close());
  for (const [n, id] of IDS.entries()) assert.deepEqual(await history(target, id), histories[n]);
  const { gaps, nowMs } = await pulse(target, 0);
  assert.deepEqual(gaps.at(-1), { startAt: START + 2 * MINUTE, endAt: nowMs });
  await sweepDueMonitors(target, { gaps, committedUntil: nowMs + MINUTE, nowMs: nowMs + MINUTE });
  const [missed] = await target.read
    .selectFrom('checks')
    .select('at')
    .where('at', '>', START + 2 * MINUTE)
    .where('status', '=', 'missed')
    .execute();
  assert.equal(missed, undefined, 'a whole new window after the move');
});
