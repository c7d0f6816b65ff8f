import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getMonitorViewPage, readMonitorStatusSpanPage, readMonitorUptime } from './read-monitors.ts';
import { createTestCluster, recordTestBeat, runEngineFor } from './test/test-cluster.ts';
import { MINUTE, MONITOR_TEST_ORG } from './test/test-monitors.ts';

const full = process.env['FLOE_TEST_FULL'] !== undefined;
const HOUR = 60 * MINUTE;

test('an hour of downtime of Floe is no failure: 10,000 clients continue, and a job that stopped before is detected', async (t) => {
  const { clock, database, start, add, count, history } = await createTestCluster(t);
  const clients = full ? 10_000 : 1_000;
  const ids = Array.from({ length: clients }, (_, n) => `job-${n}`);
  const before = await start();
  await add(before.engine, [...ids, 'dead'], 5, 1);
  await Promise.all([...ids, 'dead'].map((id) => recordTestBeat(before.engine, id)));
  await runEngineFor(clock, before.engine, 2 * MINUTE);
  before.crash();
  clock.advance(HOUR);
  const { engine, crash } = await start();
  const back = engine.now();
  await runEngineFor(clock, engine, 4 * MINUTE);
  await Promise.all(ids.map((id) => recordTestBeat(engine, id)));
  await runEngineFor(clock, engine, 2 * MINUTE - 6_000);
  assert.equal(await count('missed'), 0);
  await runEngineFor(clock, engine, 9_000);
  const dead = await history('dead');
  assert.deepEqual(
    dead.periods.slice(-1),
    [`${back + 6 * MINUTE} failing`],
    'fails at restart + interval + grace',
  );
  assert.equal(await count('missed'), 1);
  assert.equal(await count('unknown'), clients + 1);
  assert.deepEqual(
    (await history('job-1')).periods.map((line) => line.split(' ')[1]),
    ['healthy'],
  );
  const listed = async (search: string) => {
    const { rows } = await getMonitorViewPage(
      database.read,
      { orgId: MONITOR_TEST_ORG, limit: 500, search },
      engine.evaluationContext(),
    );
    return [...new Set(rows.map((view) => view.state.status))];
  };
  assert.deepEqual(await listed('DEAD'), ['failing']);
  assert.deepEqual(await listed('job-'), ['healthy']);
  crash();
});

test('a suspended machine and a clock change cause no misses, and hidden beats are unknown', async (t) => {
  const { clock, database, start, add, count } = await createTestCluster(t);
  const { engine, crash } = await start();
  await add(engine, ['job'], 1);
  await recordTestBeat(engine, 'job');
  await runEngineFor(clock, engine, 30_000);
  // Suspended for ten minutes: the monotonic clock stood still, the wall clock did not.
  clock.step(10 * MINUTE);
  await runEngineFor(clock, engine, 45_000);
  await recordTestBeat(engine, 'job');
  assert.equal(await count('missed'), 0);
  // Set back by an hour: time follows, and what was recorded goes back with it.
  clock.step(-HOUR);
  await runEngineFor(clock, engine, 30_000);
  assert.equal(engine.now(), clock.now());
  await recordTestBeat(engine, 'job');
  assert.equal(await count('missed'), 0);
  await runEngineFor(clock, engine, 66_000);
  assert.equal(await count('missed'), 1);
  const [view] = (
    await getMonitorViewPage(database.read, { orgId: MONITOR_TEST_ORG, limit: 1 }, engine.evaluationContext())
  ).rows;
  assert.ok(view);
  const range = { fromMs: 0, toMs: engine.now() };
  const page = { ...range, limit: 10 };
  const found = await readMonitorStatusSpanPage(database.read, view, page, engine.evaluationContext());
  const spans = found.spans.toReversed();
  assert.deepEqual(
    spans.map(({ status }) => status),
    ['waiting', 'healthy', 'unknown', 'healthy', 'failing'].slice(1),
  );
  const uptime = await readMonitorUptime(database.read, view, range, engine.evaluationContext());
  const unknown = spans.find(({ status }) => status === 'unknown');
  assert.ok(unknown && unknown.endedAt !== null);
  assert.equal(uptime.unknownMs, unknown.endedAt - unknown.startedAt);
  assert.equal(uptime.incidents, 1);
  crash();
});

test('a sweep waits for beats that are being written', async (t) => {
  const { clock, start, add, count, history } = await createTestCluster(t);
  const one = await start();
  await add(one.engine, ['job'], 1);
  await recordTestBeat(one.engine, 'job');
  await runEngineFor(clock, one.engine, 58_000);
  clock.advance(1_000);
  const onTime = recordTestBeat(one.engine, 'job');
  clock.advance(2_000);
  const other = await start();
  await Promise.all([other.engine.pulseAndSweep(), one.engine.pulseAndSweep(), onTime]);
  await other.engine.pulseAndSweep();
  assert.equal(await count('missed'), 0);
  assert.deepEqual((await history('job')).periods.length, 1);
  one.crash();
  other.crash();
});

test('if one of two processes ends, no gap is recorded; if the last one ends, a gap is', async (t) => {
  const { clock, database, start } = await createTestCluster(t);
  const gaps = () => database.read.selectFrom('monitor_gaps').selectAll().execute();
  const first = await start();
  const second = await start();
  await runEngineFor(clock, first.engine, 3_000);
  await second.engine.pulseAndSweep();
  first.crash();
  await runEngineFor(clock, second.engine, 12_000);
  assert.deepEqual(await gaps(), []);
  await second.engine.stop();
  second.crash();
  clock.advance(2_000);
  const third = await start();
  const [gap, ...more] = await gaps();
  assert.ok(gap);
  assert.equal(gap.ended_at - gap.started_at, 2_000);
  assert.deepEqual(more, []);
  third.crash();
});

test('a monitor that cannot be evaluated does not prevent the detection of missed beats of other monitors', async (t) => {
  const { clock, database, start, add, count } = await createTestCluster(t);
  const { engine, crash } = await start();
  await add(engine, ['broken', 'job'], 1);
  await recordTestBeat(engine, 'broken');
  await recordTestBeat(engine, 'job');
  await database.transaction((writer) =>
    writer
      .updateTable('monitor_clocks')
      .set({ cron: 'not a schedule', interval_ms: null, timezone: 'Nowhere' })
      .where('id', '=', 'broken')
      .execute(),
  );
  await runEngineFor(clock, engine, 2 * MINUTE);
  assert.equal(await count('missed'), 1);
  const { wake_at: wakeAt } = await database.read
    .selectFrom('monitor_clocks')
    .select('wake_at')
    .where('id', '=', 'broken')
    .executeTakeFirstOrThrow();
  assert.ok(wakeAt > engine.now(), 'the broken monitor is evaluated again later');
  crash();
});

test('invalid tags of a monitor do not prevent the detection of missed beats of other monitors', async (t) => {
  const { clock, database, start, add, count } = await createTestCluster(t);
  const { engine, crash } = await start();
  await add(engine, ['invalid', 'job'], 1);
  await recordTestBeat(engine, 'invalid');
  await recordTestBeat(engine, 'job');
  await database.transaction((writer) =>
    writer.updateTable('monitors').set({ tags_json: '[' }).where('id', '=', 'invalid').execute(),
  );
  await runEngineFor(clock, engine, 2 * MINUTE);
  assert.equal(await count('missed'), 2);
  crash();
});
