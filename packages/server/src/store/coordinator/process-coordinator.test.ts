import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { testWindowClaim } from '../counters/counters.suite.ts';
import { createCoordinatedProcesses } from '../test/coordinated-processes.ts';
import { createLogSpy } from '../test/log-spy.ts';
import { ManualClock } from '../test/manual-clock.ts';

/** Lets all messages arrive. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

function createProcesses() {
  const clock = new ManualClock();
  const processes = createCoordinatedProcesses(clock);
  const granted: string[] = [];
  const lock = (number: number, client = processes.connect(number)) => {
    const locking = client.lockWrites();
    void locking.then((unlock) => unlock && granted.push(`process ${number}`));
    return locking;
  };
  return { ...processes, clock, granted, lock };
}

test('processes write one at a time, in the order of their requests', async () => {
  const { lock, granted } = createProcesses();
  const first = lock(1);
  const second = lock(2);
  const third = lock(3);
  await settle();
  assert.deepEqual(granted, ['process 1']);
  (await first)?.();
  await settle();
  assert.deepEqual(granted, ['process 1', 'process 2']);
  (await second)?.();
  (await third)?.();
});

test('if a process exits, its lock passes to the next process, and its requests are removed', async () => {
  const { lock, granted, coordinator } = createProcesses();
  for (const number of [1, 2, 3]) void lock(number);
  await settle();
  coordinator.onExit(2);
  coordinator.onExit(1);
  await settle();
  assert.deepEqual(granted, ['process 1', 'process 3']);
});

test('a transaction waits at most 30 seconds for a process that is stopped', async () => {
  const { lock, granted, clock, connect } = createProcesses();
  const held = await lock(1);
  const waiting = lock(2);
  await settle();
  clock.advance(30_000);
  assert.equal(await waiting, null);
  const client = connect(3);
  const next = lock(3, client);
  await settle();
  held?.();
  (await next)?.();
  assert.deepEqual(granted, ['process 1', 'process 3'], 'the expired request was withdrawn');
});

test('the wait for one process is measured, not the wait for several that write in turn', async () => {
  const { lock, clock } = createProcesses();
  const first = await lock(1);
  const second = lock(2);
  const third = lock(3);
  await settle();
  clock.advance(20_000);
  first?.();
  await second;
  clock.advance(20_000);
  await settle();
  (await second)?.();
  assert.notEqual(await third, null);
});

test('a call that fails is logged and rejected, and later calls are answered', async () => {
  const log = createLogSpy();
  const client = createCoordinatedProcesses(new ManualClock(), log).connect(1);
  const limit = [testWindowClaim('tpm', 10, 1)];
  void client.call('acquire', { orgId: 'acme', id: 'a', claims: limit, ownSlots: [0] });
  const extension = { id: 'a', countedLocally: false, claims: limit, reserved: 0, amount: 1 };
  const failing = client.call('extend', { orgId: 'acme', extension });
  const later = client.call('ping', null);
  await assert.rejects(failing, /a call to the supervisor failed: "tpm" is not a budget/);
  assert.equal(await later, null);
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['error'],
  );
});

test('a change reaches all processes except the one that made it', async () => {
  const { connect } = createProcesses();
  const notified: number[] = [];
  const clients = [1, 2, 3].map((number) => {
    const client = connect(number);
    client.onChange(() => notified.push(number));
    return client;
  });
  clients[1]?.announceChange();
  await settle();
  assert.deepEqual(notified, [1, 3]);
});

test('calls beyond the bound of unanswered calls fail immediately', async () => {
  const { connect, setFrozen } = createProcesses();
  const client = connect(1);
  setFrozen(true);
  const calls = Array.from({ length: 20_000 }, () => client.call('ping', null));
  await assert.rejects(
    client.call('ping', null),
    /the supervisor is overloaded: 20000 calls are waiting for a reply/,
  );
  setFrozen(false);
  await Promise.all(calls);
});
