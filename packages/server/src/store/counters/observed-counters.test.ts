import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../test/manual-clock.ts';
import { instrumentSharedStoreCounters } from './observed-counters.ts';
import type { SharedStoreCounters } from './redis-counters.ts';

test('each call to the shared store is reported with its duration and result', async () => {
  const clock = new ManualClock();
  let isBroken = false;
  const call = async () => {
    clock.advance(4);
    if (isBroken) throw new Error('lost connection');
  };
  const inner: SharedStoreCounters = {
    acquire: () => call().then(() => assert.fail('not used')),
    settle: call,
    extend: () => call().then(() => ({ granted: 1, limitingIndex: null, countedLocally: false })),
    peek: () => call().then(() => []),
    renew: call,
    recordStoredSpend: () => undefined,
    ping: call,
    close: async () => undefined,
  };
  const seen: unknown[] = [];
  const observe = (...observation: readonly unknown[]) => void seen.push(observation);
  const counters = instrumentSharedStoreCounters(inner, { clock, observe });
  await counters.peek('acme', []);
  await counters.ping();
  isBroken = true;
  await assert.rejects(counters.renew('acme', [], 0), /lost connection/);
  assert.deepEqual(seen, [
    ['peek', true, 4],
    ['ping', true, 4],
    ['renew', false, 4],
  ]);
});
