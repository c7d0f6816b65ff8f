import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLog } from '../../core/log.ts';
import { createCoordinatedProcesses } from '../test/coordinated-processes.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { testWindowClaim } from './counters.suite.ts';
import { NOOP_SHARED_STORE_OBSERVER } from './observed-counters.ts';
import { openCounters } from './open-counters.ts';

test('a process waits for its supervisor for 1 second, then on_store_error applies', async () => {
  const clock = new ManualClock();
  const { connect, setFrozen } = createCoordinatedProcesses(clock);
  const { counters } = await openCounters('memory', {
    coordinator: connect(1),
    clock,
    log: silentLog,
    replicaRank: () => ({ replicaCount: 2, rank: 0 }),
    timeoutMs: 50,
    refreshSpend: async () => undefined,
    observe: NOOP_SHARED_STORE_OBSERVER,
  });
  setFrozen(true);
  let isDone = false;
  const acquiring = Promise.resolve(counters.acquire('acme', 'a', [testWindowClaim('rpm', 10)])).finally(
    () => {
      isDone = true;
    },
  );
  await nextTurn();
  clock.advance(999);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.equal(isDone, false);
  clock.advance(1);
  assert.equal((await acquiring).countedLocally, true);
});
