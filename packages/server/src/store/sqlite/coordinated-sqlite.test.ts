// Several processes that use one SQLite file.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { getSetting, storeSetting } from '../settings.ts';
import { createCoordinatedProcesses } from '../test/coordinated-processes.ts';
import { createTemporaryDirectory } from '../test/temporary-directory.ts';
import { openSqlite } from './open-sqlite.ts';

async function openTwo(t: TestContext) {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const processes = createCoordinatedProcesses(systemClock);
  const open = async (number: number) => {
    const coordinator = processes.connect(number);
    const database = await openSqlite(path, { log: silentLog, clock: systemClock, coordinator });
    t.after(() => database.close());
    return database;
  };
  return { ...processes, one: await open(1), other: await open(2) };
}

test('transactions of two processes run one at a time, and none fails because the file is locked', async (t) => {
  const { one, other } = await openTwo(t);
  const increment = (database: typeof one) =>
    database.transaction(async (writer) => {
      const count = Number((await getSetting(writer, 'count')) ?? 0);
      await storeSetting(writer, 'count', String(count + 1));
    });
  await Promise.all(Array.from({ length: 40 }, (_, n) => increment(n % 2 === 0 ? one : other)));
  assert.equal(await getSetting(other.read, 'count'), '40');
});

test('a change of one process is signaled to the other, also if the notification is lost', async (t) => {
  const { one, other, setFrozen } = await openTwo(t);
  let signals = 0;
  other.signals.onChange(() => {
    signals += 1;
  });
  const change = () => one.transaction((writer) => one.signals.announce(writer));
  await change();
  await eventually(async () => (signals === 1 ? true : undefined));
  await one.transaction(async (writer) => {
    await one.signals.announce(writer);
    // The process is killed after its commit: nothing arrives at the supervisor any more.
    setImmediate(() => setFrozen(true));
  });
  await eventually(async () => (signals === 2 ? true : undefined));
  assert.ok(other.signals.isUpToDate());
  setFrozen(false);
});

test('a transaction that is rolled back is not signaled, and the next process can write', async (t) => {
  const { one, other } = await openTwo(t);
  let signals = 0;
  other.signals.onChange(() => {
    signals += 1;
  });
  const failing = one.transaction(async (writer) => {
    await one.signals.announce(writer);
    throw new Error('rolled back');
  });
  await assert.rejects(failing, /rolled back/);
  await other.transaction((writer) => storeSetting(writer, 'later', '1'));
  assert.equal(await getSetting(one.read, 'later'), '1');
  assert.equal(signals, 0);
});

test('a process closes the database while another process has the lock', async (t) => {
  const { one, connect } = await openTwo(t);
  const unlock = await connect(3).lockWrites();
  await one.close();
  unlock?.();
});
