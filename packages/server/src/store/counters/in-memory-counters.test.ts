import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../test/manual-clock.ts';
import { countersSuite, testSettlement, testSpendClaim } from './counters.suite.ts';
import { InMemoryCounters } from './in-memory-counters.ts';

countersSuite('memory', async () => {
  const clock = new ManualClock();
  return {
    slackMs: 1,
    counters: new InMemoryCounters(clock),
    advance: async (ms) => clock.advance(ms),
  };
});

test('a second reservation with the same id replaces the first', async () => {
  const counters = new InMemoryCounters(new ManualClock());
  counters.acquire('acme', 'a', [testSpendClaim('month', 1_000, 400)]);
  const claims = [testSpendClaim('month', 1_000, 100)];
  const second = counters.acquire('acme', 'a', claims);
  const read = async () =>
    (await counters.peek('acme', claims)).map(({ used, reserved }) => [used, reserved]);
  assert.deepEqual(await read(), [[100, 100]]);
  counters.settle('acme', testSettlement('a', second, claims, [70]));
  assert.deepEqual(await read(), [[70, 0]]);
});
