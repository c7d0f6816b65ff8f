// The counters of several processes in their supervisor. The messages are the real ones, the processes are not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLog } from '../../core/log.ts';
import type { AcquireResult, BucketClaim } from '../store-interfaces.ts';
import { createCoordinatedProcesses } from '../test/coordinated-processes.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { CoordinatedCounters } from './coordinated-counters.ts';
import {
  countersSuite,
  testLeaseClaim,
  testSettlement,
  testSpendClaim,
  testWindowClaim,
} from './counters.suite.ts';
import { ResilientCounters } from './resilient-counters.ts';

const TIMEOUT_MS = 50;
const ORG = 'acme';

countersSuite('supervisor', async () => {
  const clock = new ManualClock();
  return {
    slackMs: 1,
    counters: new CoordinatedCounters(createCoordinatedProcesses(clock).connect(1)),
    advance: async (ms) => clock.advance(ms),
  };
});

function createProcesses() {
  const clock = new ManualClock();
  const processes = createCoordinatedProcesses(clock);
  const connect = (number: number) =>
    new ResilientCounters({
      remote: new CoordinatedCounters(processes.connect(number)),
      clock,
      log: silentLog,
      replicaRank: () => ({ replicaCount: 2, rank: number - 1 }),
      timeoutMs: TIMEOUT_MS,
      refreshSpend: async () => undefined,
    });
  /** Lets time pass, and the messages that it causes. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
    }
  }
  /** Acquires while the coordinator does not respond. */
  async function acquireLate(counters: ResilientCounters, id: string, claims: readonly BucketClaim[]) {
    const acquiring = counters.acquire(ORG, id, claims);
    await nextTurn();
    clock.advance(TIMEOUT_MS);
    return acquiring;
  }
  return { ...processes, clock, connect, pass, acquireLate };
}

async function readUsed(counters: ResilientCounters, claims: readonly BucketClaim[]): Promise<number[]> {
  return (await counters.peek(ORG, claims)).map(({ used }) => used);
}

test('the supervisor receives only the fields of claims that it counts', async (t) => {
  const { coordinator, connect } = createCoordinatedProcesses(new ManualClock());
  const received = t.mock.method(coordinator, 'receive');
  const counters = new CoordinatedCounters(connect(1));
  const claims = [{ ...testSpendClaim('month', 1_000, 400), name: 'month', period: 'month' }];
  await counters.acquire(ORG, 'a', claims);
  await counters.extend(ORG, { id: 'a', claims, reserved: 400, amount: 100, countedLocally: false });
  await counters.peek(ORG, claims);
  const messages = received.mock.calls.flatMap(({ arguments: [, calls] }) => calls);
  assert.deepEqual(
    messages.map(({ operation }) => operation),
    ['acquire', 'extend', 'peek'],
  );
  assert.doesNotMatch(JSON.stringify(messages), /"(?:name|period)"/);
});

test('two processes together admit exactly the limit', async () => {
  const { connect } = createProcesses();
  const [one, other] = [connect(1), connect(2)];
  const claims = [testWindowClaim('rpm', 50, 1, { persistent: true })];
  const acquired = await Promise.all(
    Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? one : other).acquire(ORG, `e${n}`, claims)),
  );
  assert.equal(acquired.filter(({ refusedIndex }) => refusedIndex === null).length, 50);
});

test('when a process exits, its slots are released, and its requests and tokens stay counted', async () => {
  const { connect, coordinator } = createProcesses();
  const [killed, other] = [connect(1), connect(2)];
  const claims = [
    testWindowClaim('rpm', 10, 1, { persistent: true }),
    testWindowClaim('tpm', 1_000, 300),
    testLeaseClaim('at-once', 2),
  ];
  await killed.acquire(ORG, 'a', claims);
  const kept = await other.acquire(ORG, 'b', claims);
  assert.equal((await other.acquire(ORG, 'c', claims)).refusedIndex, 2);
  coordinator.onExit(1);
  assert.deepEqual(await readUsed(other, claims), [2, 600, 1]);
  await other.settle(ORG, testSettlement('b', kept, claims, [1, 100, 0]));
  assert.deepEqual(await readUsed(other, claims), [2, 400, 0]);
});

test('a reservation of a process that was killed counts until its replacement has charged it', async () => {
  const { connect, coordinator } = createProcesses();
  const [killed, other] = [connect(1), connect(2)];
  const claims = [testSpendClaim('month', 1_000, 400)];
  for (const id of ['journaled', 'not-sent']) await killed.acquire(ORG, id, claims);
  coordinator.onExit(1);
  assert.equal((await other.acquire(ORG, 'c', claims)).refusedIndex, 0);
  const replacement = connect(1);
  const orphan = { id: 'journaled', second: 0, countedLocally: false, localSecond: 0 };
  await replacement.settle(ORG, { ...orphan, claims, amounts: [400], actual: [400] });
  await nextTurn();
  coordinator.onReady(1);
  assert.deepEqual(await readUsed(other, claims), [400]);
});

test('reservations that were counted too late are released, and settlements count once', async () => {
  const { connect, setFrozen, pass, acquireLate } = createProcesses();
  const counters = connect(1);
  const claims = [
    testWindowClaim('tpm', 10_000, 800),
    testLeaseClaim('at-once', 5),
    testSpendClaim('month', 10_000, 400),
  ];
  const acquired = await counters.acquire(ORG, 'a', claims);
  setFrozen(true);
  const settling = counters.settle(ORG, testSettlement('a', acquired, claims, [300, 0, 70]));
  for (const id of ['b', 'c', 'd']) await acquireLate(counters, id, claims);
  await settling;
  setFrozen(false);
  await pass(5_000);
  const [tokens, slots, spent] = await readUsed(counters, claims);
  assert.deepEqual([tokens, spent], [300, 70], 'the late reservations were released');
  assert.equal(slots, 3, 'the exchanges that were admitted locally use slots');
});

test('slots that a process granted while the supervisor did not respond count afterwards', async () => {
  const { connect, setFrozen, pass, acquireLate } = createProcesses();
  const [one, other] = [connect(1), connect(2)];
  const claims = [testLeaseClaim('at-once', 4)];
  setFrozen(true);
  const local: AcquireResult[] = [];
  for (const id of ['a', 'b', 'c', 'd', 'e']) local.push(await acquireLate(one, id, claims));
  const admitted = local.filter(({ refusedIndex }) => refusedIndex === null).length;
  assert.equal(admitted, 2, 'the share of the process');
  setFrozen(false);
  await pass(10_000);
  assert.deepEqual(await readUsed(other, claims), [2]);
  const later = await Promise.all(['f', 'g', 'h'].map((id) => other.acquire(ORG, id, claims)));
  assert.equal(later.filter(({ refusedIndex }) => refusedIndex === null).length, 2);
});

test('the supervisor removes the counter of a budget after a process reports that the database has its spending', async () => {
  const { connect, pass } = createProcesses();
  const counters = connect(1);
  const claims = [testSpendClaim('b:all:total:ever:ana', 1_000, 100)];
  const acquired = await counters.acquire(ORG, 'a', claims);
  await counters.settle(ORG, testSettlement('a', acquired, claims, [600]));
  const waitAndRead = async () => {
    await pass(61_000);
    for (let n = 0; n < 5; n++) await counters.acquire(ORG, `other ${n}`, [testWindowClaim('rpm', 1_000)]);
    return readUsed(counters, claims);
  };
  assert.deepEqual(await waitAndRead(), [600]);
  counters.recordStoredSpend([{ orgId: ORG, bucket: 'b:all:total:ever:ana', afterNanoUsd: 600 }]);
  assert.deepEqual(await waitAndRead(), [0], 'the next request starts from the amount in the database');
});
