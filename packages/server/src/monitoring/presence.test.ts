import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { silentLog } from '../core/log.ts';
import type { MonitoringEngine } from './monitoring-engine.ts';
import { replaceMonitor, requireMonitor } from './monitors.ts';
import { ProcessLiveness } from './process-liveness.ts';
import { createTestCluster, recordTestBeat, runEngineFor, type TestCluster } from './test/test-cluster.ts';
import {
  createTestMonitorDefinition,
  MINUTE,
  MONITOR_TEST_ORG,
  runMonitorChange,
} from './test/test-monitors.ts';

const gapsOf = async ({ database }: TestCluster) =>
  (
    await database.read
      .selectFrom('monitor_gaps')
      .selectAll()
      .where('inferred', '=', 0)
      .orderBy('started_at')
      .execute()
  ).map(({ started_at, ended_at }) => ended_at - started_at);

/** Time passes with ticks in between, as for a process that runs. */
async function run({ clock }: TestCluster, engine: MonitoringEngine, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    await clock.advanceAsync(Math.min(250, left));
    if (left % 1_000 === 0) await engine.pulseAndSweep();
  }
}

test('a stall shorter than the client timeout is no gap: beats are on time, and a silent job is detected', async (t) => {
  for (const stallMs of [2_000, 5_000, 9_500]) {
    const told = await createTestCluster(t);
    const { engine, crash } = await told.start();
    await told.add(engine, ['job', 'dead'], 1);
    await recordTestBeat(engine, 'job');
    await recordTestBeat(engine, 'dead');
    await run(told, engine, 58_000);
    // Sent before its deadline and read after it: until then it waited in the socket.
    told.stall(stallMs);
    const { receivedAt, nextExpectedAt } = await recordTestBeat(engine, 'job');
    assert.equal(nextExpectedAt, receivedAt + MINUTE);
    await run(told, engine, 5_000);
    assert.deepEqual(await gapsOf(told), [], `${stallMs} ms`);
    assert.deepEqual(
      (await told.history('job')).periods.map((line) => line.split(' ')[1]),
      ['waiting', 'healthy'].slice(-1),
    );
    assert.equal((await told.history('dead')).periods.at(-1)?.split(' ')[1], 'failing');
    crash();
  }
});

test('data that waits in the socket after a stall is read before that time is evaluated', async (t) => {
  const told = await createTestCluster(t);
  const { engine, crash } = await told.start();
  await told.add(engine, ['job'], 1);
  await recordTestBeat(engine, 'job');
  await run(told, engine, 58_000);
  told.stall(5_000);
  // The sweep comes first; the beat was received before it.
  await engine.pulseAndSweep();
  await engine.pulseAndSweep();
  assert.equal((await recordTestBeat(engine, 'job')).status, 'healthy');
  await run(told, engine, 3_000);
  assert.equal(await told.count('missed'), 0);
  crash();
});

test('a beat that is in transit during a stall is accepted', async (t) => {
  const told = await createTestCluster(t);
  const { engine, crash } = await told.start();
  await told.add(engine, ['job'], 1);
  await run(told, engine, 1_000);
  const answer = recordTestBeat(engine, 'job');
  told.stall(8_000);
  assert.equal((await answer).status, 'healthy');
  await run(told, engine, 2_000);
  assert.deepEqual(await gapsOf(told), []);
  crash();
});

test('a beat that is read long after a stall is late, because it did not wait for the end of the stall', async (t) => {
  const told = await createTestCluster(t);
  const { engine, crash } = await told.start();
  await told.add(engine, ['job'], 1);
  await recordTestBeat(engine, 'job');
  await run(told, engine, 57_000);
  told.stall(2_000);
  await run(told, engine, 4_000);
  await recordTestBeat(engine, 'job');
  assert.equal(await told.count('missed'), 1);
  crash();
});

test('a stall longer than the client timeout is a gap', async (t) => {
  const told = await createTestCluster(t);
  const { engine, crash } = await told.start();
  await told.add(engine, ['job'], 1);
  await recordTestBeat(engine, 'job');
  await run(told, engine, 30_000);
  told.stall(60_000);
  await run(told, engine, 3_000);
  const [gap = 0, ...more] = await gapsOf(told);
  assert.ok(gap >= 60_000 && gap <= 62_000, `${gap}`);
  assert.deepEqual(more, []);
  assert.equal(await told.count('missed'), 0);
  crash();
});

test('if the database rejects beats for several seconds, the time is a gap although the process runs', async (t) => {
  const told = await createTestCluster(t);
  let isAway = false;
  const { database } = told;
  const flaky: typeof database = {
    ...database,
    read: database.read,
    rowTransaction: (work) => (isAway ? Promise.reject(away()) : database.rowTransaction(work)),
    applyBeatsIfUnchanged: (beats, rewindCount) =>
      isAway ? Promise.reject(away()) : database.applyBeatsIfUnchanged(beats, rewindCount),
    transaction: (work) => database.transaction(work),
  };
  const { engine, crash } = await told.start('one', flaky);
  await told.add(engine, ['job'], 1);
  await recordTestBeat(engine, 'job');
  await run(told, engine, 10_000);
  isAway = true;
  await assert.rejects(recordTestBeat(engine, 'job'));
  told.clock.advance(5_000);
  // The pulse that was refused may be under way still.
  await engine.pulseAndSweep().catch(() => undefined);
  isAway = false;
  await engine.pulseAndSweep();
  assert.equal((await gapsOf(told)).length, 1);
  crash();
});

test('a beat that is rejected while a pulse is committed counts for the next gap', async (t) => {
  const told = await createTestCluster(t);
  const { database, clock } = told;
  let beforeCommit = (): void => undefined;
  const slow: Pick<typeof database, 'isShared' | 'isRemote' | 'rowTransaction'> = {
    isShared: database.isShared,
    isRemote: database.isRemote,
    rowTransaction: (work) =>
      database.rowTransaction(async (writer) => {
        const done = await work(writer);
        beforeCommit();
        return done;
      }),
  };
  const manual = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: () => ({ cancel: () => undefined }),
  };
  const pulse = new ProcessLiveness({
    ...{ database: slow, clock: manual, log: silentLog },
    oldestPendingAt: () => null,
    afterPulse: async () => undefined,
  });
  await pulse.start();
  beforeCommit = () => pulse.recordRejection();
  await pulse.send();
  beforeCommit = () => undefined;
  clock.advance(5_000);
  await pulse.send();
  assert.equal((await gapsOf(told)).length, 1);
  clock.advance(5_000);
  await pulse.send();
  assert.equal((await gapsOf(told)).length, 1, 'the rejection counts once');
  await pulse.close();
});

test('a new process records a gap after a killed process, and none next to a running one', async (t) => {
  for (const lives of [false, true]) {
    const told = await createTestCluster(t);
    const first = await told.start('first');
    await told.add(first.engine, ['job'], 1);
    await recordTestBeat(first.engine, 'job');
    await runEngineFor(told.clock, first.engine, 57_000);
    if (!lives) first.crash();
    told.clock.advance(4_000);
    const second = await told.start('second');
    if (lives) await first.engine.pulseAndSweep();
    await runEngineFor(told.clock, second.engine, 1_000);
    assert.equal(await told.count('missed'), lives ? 1 : 0);
    await runEngineFor(told.clock, second.engine, 12_000);
    assert.deepEqual(await gapsOf(told), lives ? [] : [4_000]);
    assert.equal(await told.count('missed'), lives ? 1 : 0, 'the deadline lay in the gap');
    await runEngineFor(told.clock, second.engine, MINUTE);
    assert.ok((await told.count('missed')) > 0, 'and it is found one window later');
    first.crash();
    second.crash();
  }
});

test('a process that replaces one that has certainly ended records the gap immediately', async (t) => {
  const told = await createTestCluster(t);
  const first = await told.start('same');
  first.crash();
  told.clock.advance(2_000);
  const second = await told.start('same');
  assert.deepEqual(await gapsOf(told), [2_000]);
  second.crash();
});

test('a process accepts beats from the time its listeners are open', async (t) => {
  const told = await createTestCluster(t);
  const first = await told.start('same');
  await told.add(first.engine, ['job'], 1);
  await recordTestBeat(first.engine, 'job');
  await runEngineFor(told.clock, first.engine, 58_000);
  first.crash();
  const second = await told.prepare('same');
  told.clock.advance(1_000);
  assert.equal(second.engine.now(), told.clock.now());
  const { gaps } = await second.engine.changeContext();
  assert.equal(gaps.length, 1);
  assert.deepEqual(await gapsOf(told), []);
  told.clock.advance(9_000);
  await second.engine.start();
  assert.deepEqual(await gapsOf(told), [10_000]);
  assert.equal(await told.count('missed'), 0);
  second.crash();
});

test('a change just after a deadline does not undo the miss, and has the time when it was made', async (t) => {
  const told = await createTestCluster(t);
  const first = await told.start('first');
  const second = await told.start('second');
  await told.add(first.engine, ['job'], 1);
  const { receivedAt } = await recordTestBeat(first.engine, 'job');
  for (let seconds = 3; seconds < 60; seconds += 3) {
    told.clock.advance(3_000);
    await Promise.all([first.engine.pulseAndSweep(), second.engine.pulseAndSweep()]);
  }
  // Both said a second ago how far they are; the deadline passes, and at once the grace is made longer.
  told.clock.advance(receivedAt + MINUTE + 300 - told.clock.now());
  const asked = told.clock.now();
  const changing = first.engine.changeContext().then(({ nowMs, gaps, committedUntil }) =>
    runMonitorChange(told.database, { nowMs, gaps, committedUntil }, async (one) => {
      const before = await requireMonitor(one.writer, MONITOR_TEST_ORG, 'job');
      return replaceMonitor(one, before, createTestMonitorDefinition('job', { grace_period_minutes: 5 }));
    }),
  );
  for (let rounds = 0; rounds < 5; rounds++) {
    await second.engine.pulseAndSweep();
    await told.clock.advanceAsync(100);
  }
  const row = await changing;
  assert.ok(row.updated_at >= asked, 'not dated earlier than it was asked for');
  assert.equal(await told.count('missed'), 1);
  first.crash();
  second.crash();
});

test('of two servers that change a monitor in sequence, the second uses no earlier time', async (t) => {
  const told = await createTestCluster(t);
  const { engine, crash } = await told.start();
  await told.add(engine, ['job'], 60);
  const at = engine.now();
  const change = (nowMs: number, minutes: number) =>
    runMonitorChange(told.database, { nowMs }, async (one) =>
      replaceMonitor(
        one,
        await requireMonitor(one.writer, MONITOR_TEST_ORG, 'job'),
        createTestMonitorDefinition('job', { expected_interval_minutes: minutes }),
      ),
    );
  const one = await change(at + 40, 30);
  const other = await change(at + 10, 20);
  assert.ok(other.updated_at >= one.updated_at);
  crash();
});

function away(): Fault {
  return new Fault('overloaded', 'The database is away.', { retryAfterMs: 1_000 });
}
