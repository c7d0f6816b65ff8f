import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Fault } from '@floe/contract/faults';
import { createLogSpy } from '../test/log-spy.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { createTestExchangeRow } from '../test/rows.ts';
import { createTemporaryDirectory } from '../test/temporary-directory.ts';
import { openExchangeRowSink } from './row-sink.ts';
import { FakeSpoolDatabase } from './test/fake-spool-database.ts';
import { createFaultySpoolFiles } from './test/faulty-files.ts';

const FLUSH_MS = 60_000;

async function openSpool(
  t: TestContext,
  dataDir = createTemporaryDirectory(t),
  fault: FakeSpoolDatabase['fault'] = null,
) {
  const parts = {
    database: new FakeSpoolDatabase(),
    files: createFaultySpoolFiles(),
    clock: new ManualClock(),
    log: createLogSpy(),
  };
  parts.database.fault = fault;
  const open = () => openExchangeRowSink({ dataDir, ...parts });
  const sink = await open();
  t.after(() => sink.close());
  return { ...parts, dataDir, sink, open, spool: join(dataDir, 'spool') };
}

function ids(count: number, prefix = 'exc'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}_${String(i).padStart(6, '0')}`);
}

/** Turns the event loop and the clock until `done`; bounded, so that a spool that hangs fails. */
async function until(done: () => boolean, clock: ManualClock, stepMs = 1): Promise<void> {
  for (let turns = 0; turns < 200_000; turns++) {
    if (done()) return;
    clock.advance(stepMs);
    await turn();
  }
  throw new Error('it did not come to pass');
}

function leave(dataDir: string, name: string, text: string): void {
  mkdirSync(join(dataDir, 'spool'), { recursive: true });
  writeFileSync(join(dataDir, 'spool', name), text);
}

const lineOf = (id: string) => `${JSON.stringify(createTestExchangeRow(id))}\n`;

test('rows are inserted into the database automatically, and a clean shutdown leaves no file', async (t) => {
  const { sink, database, clock, spool } = await openSpool(t);
  for (const id of ids(100)) sink.append(createTestExchangeRow(id));
  assert.equal(sink.backlog(), 100);
  await until(() => sink.backlog() === 0, clock);
  assert.deepEqual(database.ids(), ids(100));
  await sink.close();
  assert.deepEqual(readdirSync(spool), []);
});

test('rows of a few milliseconds share one write and one transaction', async (t) => {
  const { sink, database, clock, spool } = await openSpool(t);
  for (const id of ids(50)) sink.append(createTestExchangeRow(id));
  await turn();
  assert.deepEqual(readdirSync(spool), []);
  await until(() => database.calls > 0, clock);
  assert.equal(database.calls, 1);
});

test('while rows arrive all the time, the time up to which they are complete advances', async (t) => {
  const { sink, database, clock } = await openSpool(t);
  let last = sink.completeUntil();
  for (const id of ids(5000)) {
    sink.append(createTestExchangeRow(id));
    await until(() => true, clock);
    clock.advance(1);
    await turn();
    assert.ok(sink.backlog() > 0, 'never empty');
    const complete = sink.completeUntil();
    assert.ok(complete >= last && complete <= clock.now());
    last = complete;
  }
  assert.ok(clock.now() - last < 1000, `${clock.now() - last} ms`);
  const away = new Fault('overloaded', 'away');
  database.fault = () => away;
  sink.append(createTestExchangeRow('exc_late'));
  const appendedAt = clock.now();
  for (let turns = 0; turns < 1000; turns++) {
    clock.advance(10);
    await turn();
  }
  assert.ok(sink.completeUntil() <= appendedAt, 'the last row is not in the database');
  database.fault = null;
  await sink.flush(FLUSH_MS);
  assert.equal(sink.completeUntil(), clock.now());
});

test('rows of an earlier process make the time up to which rows are complete unknown', async (t) => {
  const away = new Fault('overloaded', 'away');
  const { sink, open, database } = await openSpool(t, undefined, () => away);
  sink.append(createTestExchangeRow('exc_one'));
  await sink.stored();
  await sink.close();
  const next = await open();
  t.after(() => next.close());
  next.append(createTestExchangeRow('exc_two'));
  await next.stored();
  assert.equal(next.completeUntil(), 0);
  database.fault = null;
  await next.flush(FLUSH_MS);
  assert.ok(next.completeUntil() > 0);
});

test('a flush does not wait for timers', async (t) => {
  const { sink, database } = await openSpool(t);
  for (const id of ids(3000)) sink.append(createTestExchangeRow(id));
  await sink.flush(FLUSH_MS);
  assert.deepEqual(database.ids(), ids(3000));
  await sink.flush(FLUSH_MS);
});

test('files have a maximum size, and are removed when the database has their rows', async (t) => {
  const { sink, database, clock, spool } = await openSpool(t);
  const away = new Fault('overloaded', 'away');
  database.fault = () => away;
  const wide = createTestExchangeRow('exc_wide', { attempts_json: 'x'.repeat(1_000_000) });
  for (let i = 0; i < 20; i++) {
    sink.append({ ...wide, id: `exc_wide${i}` });
    await until(() => bytesIn(spool) >= (i + 1) * 1_000_000, clock);
  }
  assert.ok(readdirSync(spool).length >= 2, readdirSync(spool).join());
  database.fault = null;
  await sink.flush(FLUSH_MS);
  assert.equal(database.inserted.size, 20);
  assert.equal(readdirSync(spool).length, 1);
});

test('rows wait on disk while the database is unavailable, and are inserted once when it is available', async (t) => {
  const { sink, database, clock, log } = await openSpool(t);
  database.fault = () => new Fault('overloaded', 'The database is locked by another program.');
  for (const id of ids(500)) sink.append(createTestExchangeRow(id));
  await until(() => database.calls >= 8, clock, 10);
  assert.equal(sink.backlog(), 500);
  for (const id of ids(500, 'later')) sink.append(createTestExchangeRow(id));
  const outages = log.lines.filter(({ level }) => level === 'warn');
  assert.equal(outages.length, 1, 'an outage is one line, not one a try');
  database.fault = null;
  await until(() => sink.backlog() === 0, clock);
  assert.deepEqual(database.ids(), [...ids(500), ...ids(500, 'later')]);
});

test('a database that is too slow for a batch receives smaller batches', async (t) => {
  const { sink, database, clock, log } = await openSpool(t);
  const row = (id: string) => createTestExchangeRow(id, { attempts_json: 'x'.repeat(10_000) });
  let failures = 0;
  database.fault = (_, bytes) => {
    if (bytes <= 30_000) return null;
    failures += 1;
    return new Fault('overloaded', 'A statement timed out.');
  };
  for (const id of ids(300)) sink.append(row(id));
  await until(() => sink.backlog() === 0, clock, 10);
  assert.deepEqual(database.ids(), ids(300));
  assert.ok(failures < 30, `${failures} batches were too large`);
  database.fault = null;
  database.calls = 0;
  for (const id of ids(300, 'later')) sink.append(row(id));
  await until(() => sink.backlog() === 0, clock, 10);
  assert.ok(database.calls < 60, `${database.calls} batches, which are large again`);
  database.fault = () => new Fault('overloaded', 'away');
  sink.append(createTestExchangeRow('exc_wide', { attempts_json: 'x'.repeat(100_000) }));
  const lines = log.lines.length;
  await until(() => database.calls >= 60, clock, 100);
  assert.equal(log.lines.length - lines, 1, 'a batch without a complete row is no sign of a recovery');
});

test('a flush stops after its timeout and states how many rows wait', async (t) => {
  const { sink, database, clock } = await openSpool(t);
  database.fault = () => new Fault('overloaded', 'away');
  for (const id of ids(7)) sink.append(createTestExchangeRow(id));
  const flushed = assert.rejects(sink.flush(200), /7 rows in the spool are not in the database yet/);
  await until(() => database.calls > 0, clock);
  clock.advance(200);
  await flushed;
});

test('rows of a killed process are inserted, in any number of files, and a second time changes nothing', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  leave(dataDir, 'rows-000000009.jsonl', ids(300).map(lineOf).join(''));
  leave(dataDir, 'rows-000000010.jsonl', ids(10, 'more').map(lineOf).join(''));
  leave(dataDir, 'notes.txt', 'not ours');
  const { sink, database, spool } = await openSpool(t, dataDir);
  sink.append(createTestExchangeRow('new_row'));
  await sink.flush(FLUSH_MS);
  const expected = [...ids(300), ...ids(10, 'more'), 'new_row'];
  assert.deepEqual(database.ids(), expected);
  // The active file stays until it is full: as if this process were killed now, it is taken again.
  assert.deepEqual(readdirSync(spool).sort(), ['notes.txt', 'rows-000000011.jsonl']);
  const second = await openExchangeRowSink({
    dataDir,
    database,
    clock: new ManualClock(),
    log: createLogSpy(),
  });
  await second.flush(FLUSH_MS);
  await second.close();
  assert.deepEqual(database.ids(), expected);
});

test('a torn last line is logged, and invalid lines are stored in a separate file', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  leave(
    dataDir,
    'rows-000000001.jsonl',
    `${lineOf('exc_a')}garbage\n${lineOf('exc_b')}${lineOf('exc_c').slice(0, 300)}`,
  );
  leave(dataDir, 'rows-000000002.jsonl', lineOf('exc_d'));
  const { sink, database, log, spool } = await openSpool(t, dataDir);
  await sink.flush(FLUSH_MS);
  assert.deepEqual(database.ids(), ['exc_a', 'exc_b', 'exc_d']);
  assert.equal(readFileSync(join(spool, 'rows-000000001.rejected'), 'utf8'), 'garbage\n');
  assert.equal(
    log.lines.filter(({ message }) => /last row of a spool file was lost/.test(message)).length,
    1,
  );
  assert.equal(log.lines.filter(({ message }) => /contains invalid rows/.test(message)).length, 1);
  assert.equal(sink.backlog(), 0);
});

for (const code of ['ENOSPC', 'EIO'])
  test(`partial writes that fail with ${code} lose and duplicate nothing`, async (t) => {
    const { sink, database, files, clock, log, open } = await openSpool(t);
    for (const id of ids(40, 'a')) sink.append(createTestExchangeRow(id));
    await until(() => sink.backlog() === 0, clock);
    files.writeFault = code;
    for (const id of ids(40, 'b')) sink.append(createTestExchangeRow(id));
    await until(() => log.lines.some(({ level }) => level === 'error'), clock);
    clock.advance(3000);
    files.createFault = code;
    for (const id of ids(40, 'c')) sink.append(createTestExchangeRow(id));
    await turnsOfDisk();
    assert.equal(sink.backlog(), 80);
    files.writeFault = null;
    files.createFault = null;
    await until(() => sink.backlog() === 0, clock);
    const all = [...ids(40, 'a'), ...ids(40, 'b'), ...ids(40, 'c')];
    assert.deepEqual(database.ids(), all);
    await sink.close();
    const again = await open();
    await again.flush(FLUSH_MS);
    assert.deepEqual(database.ids(), all);
    await again.close();
  });

test('a full disk uses bounded memory, keeps the oldest rows and counts the lost ones', async (t) => {
  const { sink, database, files, clock, log } = await openSpool(t);
  files.createFault = 'ENOSPC';
  const wide = createTestExchangeRow('exc', { attempts_json: 'x'.repeat(1_000_000) });
  for (let i = 0; i < 50; i++) sink.append({ ...wide, id: `exc_${String(i).padStart(2, '0')}` });
  await until(() => log.lines.some(({ message }) => /is not writable;/.test(message)), clock);
  const kept = sink.backlog();
  assert.ok(kept >= 30 && kept <= 33, `${kept} rows of 1 MB are held`);
  files.createFault = null;
  await sink.flush(FLUSH_MS);
  assert.deepEqual(
    database.ids(),
    ids(50)
      .slice(0, kept)
      .map((id) => `exc_${id.slice(-2)}`),
  );
  const told = log.lines.find(({ message }) => /is writable again/.test(message));
  assert.deepEqual(told?.fields, { lost_rows: 50 - kept });
});

test('rows that the disk rejects until the process ends are lost and counted', async (t) => {
  const { sink, files, log } = await openSpool(t);
  files.createFault = 'ENOSPC';
  for (const id of ids(5)) sink.append(createTestExchangeRow(id));
  await sink.close();
  const lost = log.lines.filter(({ message }) => /rows were lost/.test(message));
  assert.deepEqual(
    lost.map(({ fields }) => fields),
    [{ lost_rows: 5 }],
  );
  assert.doesNotMatch(lost[0]?.message ?? '', /buffer is full/);
});

for (const [what, fault] of [
  ['cannot be read', new Error('EIO: read')],
  ['the database refuses', new Fault('invalid_request', 'Text must not contain the character U+0000.')],
] as const)
  test(`a file that ${what} does not block later files and remains for the next start`, async (t) => {
    const dataDir = createTemporaryDirectory(t);
    leave(dataDir, 'rows-000000001.jsonl', lineOf('exc_a'));
    leave(dataDir, 'rows-000000002.jsonl', lineOf('exc_b'));
    const unreadable = (path: string) => (path.endsWith('1.jsonl') ? fault : null);
    const { sink, database, clock, log, spool } = await openSpool(t, dataDir, unreadable);
    sink.append(createTestExchangeRow('exc_c'));
    await until(() => database.inserted.has('exc_c'), clock);
    assert.deepEqual(database.ids(), ['exc_b', 'exc_c']);
    assert.ok(
      log.lines.some(
        ({ level, message }) => level === 'error' && /tries again at the next start/.test(message),
      ),
    );
    assert.ok(readdirSync(spool).includes('rows-000000001.jsonl'));
  });

test('rows that are not in the database are synced within 250 ms, and the others are not synced again', async (t) => {
  const { sink, database, files, clock, spool } = await openSpool(t);
  database.fault = () => new Fault('overloaded', 'away');
  sink.append(createTestExchangeRow('exc_a'));
  clock.advance(10);
  await until(() => bytesIn(spool) > 0, clock, 0);
  await turnsOfDisk();
  clock.advance(240);
  assert.equal(files.syncs, 1);
  database.fault = null;
  await until(() => sink.backlog() === 0, clock);
  sink.append(createTestExchangeRow('exc_b'));
  await until(() => sink.backlog() === 0, clock);
  for (let i = 0; i < 50; i++) {
    clock.advance(20);
    await turn();
  }
  assert.equal(files.syncs, 1);
});

test('a failed sync is logged and stops nothing', async (t) => {
  const { sink, database, files, clock, log } = await openSpool(t);
  files.syncFault = 'EIO';
  database.fault = () => new Fault('overloaded', 'away');
  sink.append(createTestExchangeRow('exc_a'));
  await until(() => files.syncs > 0, clock);
  database.fault = null;
  await until(() => sink.backlog() === 0, clock);
  assert.ok(log.lines.some(({ message }) => /cannot be synced/.test(message)));
});

function bytesIn(spool: string): number {
  return readdirSync(spool).reduce((bytes, name) => bytes + statSync(join(spool, name)).size, 0);
}

/** Lets writes that were started reach the disk. */
async function turnsOfDisk(): Promise<void> {
  for (let i = 0; i < 200; i++) await turn();
}
