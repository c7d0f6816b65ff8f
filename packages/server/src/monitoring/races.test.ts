import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { TestGate } from '@floe/testkit/gate';
import { silentLog } from '../core/log.ts';
import type { DatabaseWithBeatStore } from '../store/open-database.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { MonitoringEngine } from './monitoring-engine.ts';
import { createMonitoringCounters } from './monitoring-metrics.ts';
import { createMonitor } from './monitors.ts';
import {
  addTestOrg,
  createTestBeatCall,
  createTestMonitorDefinition,
  MINUTE,
  MONITOR_TEST_ORG,
  runMonitorChange,
} from './test/test-monitors.ts';

const full = process.env['FLOE_TEST_FULL'] !== undefined;

/** An engine that looks only when told to, on a store with monitors of one minute and no grace. */
async function engineOf(
  t: TestContext,
  ids: readonly string[],
  through = (database: DatabaseWithBeatStore) => database,
) {
  const clock = new FakeClock();
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock });
  t.after(() => database.close());
  await addTestOrg(database);
  const still = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: () => ({ cancel: () => undefined }),
  };
  const engine = new MonitoringEngine({
    database: through(database),
    clock: still,
    log: silentLog,
    counters: createMonitoringCounters(),
  });
  await engine.start();
  const { nowMs, gaps } = await engine.changeContext();
  await runMonitorChange(database, { nowMs, gaps }, async (context) => {
    for (const id of ids) await createMonitor(context, MONITOR_TEST_ORG, createTestMonitorDefinition(id));
  });
  return { clock, database, engine };
}

function beat(engine: MonitoringEngine, id: string) {
  const { receivedAt: _, ...rest } = createTestBeatCall(id, 0);
  return engine.recordBeat(rest);
}

async function live(clock: FakeClock, engine: MonitoringEngine, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 3_000) {
    clock.advance(Math.min(3_000, left));
    await engine.pulseAndSweep();
  }
}

async function missed(database: DatabaseWithBeatStore): Promise<number> {
  const rows = await database.read.selectFrom('checks').select('id').where('status', '=', 'missed').execute();
  return rows.length;
}

/** A generator with a seed, so that a failure can be repeated. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

test('a beat at its deadline with sweeps after it, in any order: never failing with a recent beat (6.1)', async (t) => {
  const rounds = full ? 1_000 : 60;
  const { clock, database, engine } = await engineOf(t, ['job']);
  const random = numbers(7);
  let { receivedAt } = await beat(engine, 'job');
  for (let round = 0; round < rounds; round++) {
    await live(clock, engine, receivedAt + MINUTE - 1_000 - engine.now());
    clock.advance(990 + (random.next().value % 11));
    const looks: Promise<unknown>[] = [];
    const late = random.next().value % 4;
    if (late === 0) looks.push(engine.pulseAndSweep());
    const answer = beat(engine, 'job');
    for (let turn = random.next().value % 3; turn > 0; turn--) await null;
    clock.advance(1 + (random.next().value % 400));
    looks.push(engine.pulseAndSweep());
    if (late === 1) looks.push(engine.pulseAndSweep());
    const [taken] = await Promise.all([answer, ...looks]);
    receivedAt = taken.receivedAt;
    assert.equal(taken.status, 'healthy', `round ${round}`);
  }
  assert.equal(await missed(database), 0);
  const failing = await database.read
    .selectFrom('monitor_periods')
    .select('uid')
    .where('status', '=', 'failing')
    .execute();
  assert.deepEqual(failing, []);
  t.diagnostic(`${rounds} races, 0 misses`);
});

test('beats that wait five minutes for their commit cause no miss, and a silent job is detected afterwards (6.6)', async (t) => {
  const gate = new TestGate();
  let held = false;
  const slow = (database: DatabaseWithBeatStore): DatabaseWithBeatStore => ({
    isShared: database.isShared,
    isRemote: database.isRemote,
    signals: database.signals,
    read: database.read,
    transaction: (work) => database.transaction(work),
    rowTransaction: (work) => database.rowTransaction(work),
    ping: () => database.ping(),
    ingest: (region) => database.ingest(region),
    async applyBeatsIfUnchanged(beats, rewindCount) {
      if (held) await gate.pass();
      return database.applyBeatsIfUnchanged(beats, rewindCount);
    },
    expireExchanges: (before) => database.expireExchanges(before),
    close: () => database.close(),
  });
  const { clock, database, engine } = await engineOf(t, ['job', 'dead'], slow);
  await beat(engine, 'job');
  await beat(engine, 'dead');
  await live(clock, engine, 30_000);
  held = true;
  const waiting = beat(engine, 'job');
  await live(clock, engine, 5 * MINUTE);
  assert.equal(await missed(database), 0);
  held = false;
  gate.release();
  const { receivedAt } = await waiting;
  assert.ok(receivedAt < engine.now() - 4 * MINUTE, 'it counts for when it came');
  await beat(engine, 'job');
  await live(clock, engine, 3_000);
  const rows = await database.read
    .selectFrom('checks')
    .innerJoin('monitors', 'monitors.uid', 'checks.uid')
    .select(['monitors.id as id', 'checks.expected_at as at'])
    .where('checks.status', '=', 'missed')
    .where('monitors.id', '=', 'dead')
    .execute();
  assert.equal(rows.length, 5, 'every promise of the silent one, once');
});
