import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitBeats } from './commit-beats.ts';
import { createMonitor } from './monitors.ts';
import { createTestCluster, recordTestBeat, runEngineFor } from './test/test-cluster.ts';
import {
  createTestBeatCall,
  createTestMonitorDefinition,
  MINUTE,
  MONITOR_TEST_ORG,
  runMonitorChange,
} from './test/test-monitors.ts';

test('every failure causes an alert, also if a job fails, succeeds and fails within a millisecond', async (t) => {
  const { clock, database, start, add, history } = await createTestCluster(t);
  const { engine, crash } = await start();
  await add(engine, ['job'], 60);
  await runEngineFor(clock, engine, MINUTE);
  const at = engine.now();
  const calls = (['fail', 'ok', 'fail'] as const).map((kind) => createTestBeatCall('job', at, { kind }));
  await commitBeats(database, calls, { nowMs: at, gaps: [], peersCommittedUntil: at });
  const { alerts, periods } = await history('job');
  assert.deepEqual(alerts, [`failing ${at}`, `failing ${at}`, `recovered ${at}`]);
  assert.equal(periods.at(-1), `${at} failing`);
  crash();
});

test('an alert about a missed beat states the last beat before it, also if a late beat arrives first', async (t) => {
  const { clock, database, start, add } = await createTestCluster(t);
  const { engine, crash } = await start();
  await add(engine, ['job'], 60);
  await runEngineFor(clock, engine, MINUTE);
  const at = engine.now();
  const late = at + 90 * MINUTE;
  for (const calls of [[createTestBeatCall('job', at)], [createTestBeatCall('job', late)]])
    await commitBeats(database, calls, { nowMs: late, gaps: [], peersCommittedUntil: late });
  const alerts = await database.read.selectFrom('alerts').selectAll().orderBy('seq').execute();
  assert.deepEqual(
    alerts.map(({ event, fields_json }) => [event, JSON.parse(fields_json).lastBeatMs]),
    [
      ['monitor_failing', at],
      ['monitor_recovered', undefined],
    ],
  );
  crash();
});

test('a missed cron time causes an alert again after the clock was set back', async (t) => {
  const { clock, database, start, history } = await createTestCluster(t);
  const { engine, crash } = await start();
  const { nowMs, gaps } = await engine.changeContext();
  const definition = createTestMonitorDefinition('job', { schedule: { cron: '*/5 * * * *' } });
  await runMonitorChange(database, { nowMs, gaps }, (context) =>
    createMonitor(context, MONITOR_TEST_ORG, definition),
  );
  await recordTestBeat(engine, 'job');
  await runEngineFor(clock, engine, 5.1 * MINUTE);
  const first = await history('job');
  assert.equal(first.alerts.length, 1);
  clock.step(-MINUTE);
  await runEngineFor(clock, engine, 6_000);
  await recordTestBeat(engine, 'job');
  await runEngineFor(clock, engine, 1.5 * MINUTE);
  const { alerts } = await history('job');
  assert.equal(alerts.filter((alert) => alert === first.alerts[0]).length, 2, alerts.join());
  crash();
});
