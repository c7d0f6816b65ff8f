import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AcquireResult } from '../store-interfaces.ts';
import { createLogSpy } from '../test/log-spy.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { testLeaseClaim, testSettlement } from './counters.suite.ts';
import { SharedStoreUpdateQueue } from './shared-store-update-queue.ts';

const TAKEN: AcquireResult = {
  refusedIndex: null,
  retryAfterMs: null,
  levels: [],
  amounts: [1],
  second: 0,
  countedLocally: false,
  localSecond: 0,
};

test('settlements that were sent take no space from those that arrive during the flush', async () => {
  const sent: string[] = [];
  const claims = [testLeaseClaim('slots', 5)];
  const enqueue = (id: string) => queue.enqueueSettlement('acme', testSettlement(id, TAKEN, claims, [0]));
  const queue = new SharedStoreUpdateQueue({
    clock: new ManualClock(),
    log: createLogSpy(),
    timeoutMs: 50,
    onRejected: () => undefined,
    remote: {
      acquire: async () => TAKEN,
      settle: async (_org, { id }) => {
        sent.push(id);
        if (sent.length === 15_000) for (let n = 0; n < 10_000; n++) enqueue(`late ${n}`);
      },
    },
  });
  for (let n = 0; n < 20_000; n++) enqueue(`${n}`);
  await queue.flush();
  assert.equal(sent.length, 30_000);
  assert.equal(new Set(sent).size, 30_000);
  assert.equal(queue.isEmpty, true);
});
