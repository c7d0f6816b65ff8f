import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '@floe/contract/faults';
import { FairTurnScheduler } from '../fair-turn-scheduler.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { CoordinatedWriteScheduler } from './coordinated-write-scheduler.ts';

/** Turns whose lock requests wait for the test. */
function createTurns() {
  const requests: ((unlock: (() => void) | null) => void)[] = [];
  const lockWrites = () => new Promise<(() => void) | null>((resolve) => void requests.push(resolve));
  const turns = new CoordinatedWriteScheduler(
    { lockWrites },
    new FairTurnScheduler(new ManualClock(), { total: 1 }),
  );
  return { turns, requests };
}

test('a process requests the lock for one transaction at a time, and releases it after each', async () => {
  const { turns, requests } = createTurns();
  const waiting = Array.from({ length: 1_000 }, () => turns.acquire());
  let unlocked = 0;
  for (const [index, turn] of waiting.entries()) {
    await nextTurn();
    assert.equal(requests.length, index + 1);
    requests[index]?.(() => {
      unlocked += 1;
    });
    (await turn)();
    assert.equal(unlocked, index + 1);
  }
});

test('if another process has the lock for too long, all waiting transactions fail together', async () => {
  const { turns, requests } = createTurns();
  const waiting = Array.from({ length: 3 }, () => turns.acquire());
  const settled = Promise.allSettled(waiting);
  await nextTurn();
  requests[0]?.(null);
  for (const result of await settled)
    assert.ok(
      result.status === 'rejected' && result.reason instanceof Fault && result.reason.code === 'overloaded',
    );
  assert.equal(requests.length, 1);
  const later = turns.acquire();
  await nextTurn();
  requests[1]?.(() => undefined);
  (await later)();
});
