import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { createLogSpy } from '../store/test/log-spy.ts';
import { watchForSeparateCounters } from './separate-counters-warning.ts';

function watch(processCount: number) {
  const clock = new FakeClock(0);
  const log = createLogSpy();
  const position = { replicaCount: processCount, rank: 0 };
  const stop = watchForSeparateCounters({ replicas: { getRank: () => position }, processCount, clock, log });
  return { clock, log, position, stop };
}

test('processes that use the same database with separate counters are reported once', () => {
  const { clock, log, position } = watch(1);
  position.replicaCount = 2;
  clock.advance(15_000);
  assert.equal(log.lines.length, 0);
  clock.advance(10_000);
  const [line] = log.lines;
  assert.equal(line?.level, 'warn');
  assert.deepEqual(line?.fields, { processes: 2 });
  assert.match(
    line?.message ?? '',
    /so all processes together can exceed limits and budgets; set storage\.shared to the same/,
  );
  clock.advance(600_000);
  assert.equal(log.lines.length, 1);
});

test('the processes of the own server, a restart and a killed process are not reported', () => {
  const { clock, log, position, stop } = watch(2);
  clock.advance(60_000);
  position.replicaCount = 3;
  clock.advance(15_000);
  position.replicaCount = 2;
  clock.advance(60_000);
  assert.equal(log.lines.length, 0);
  position.replicaCount = 3;
  stop();
  clock.advance(60_000);
  assert.equal(log.lines.length, 0);
});
