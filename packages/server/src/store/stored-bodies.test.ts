import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { openDatabase } from './open-database.ts';
import { openBodySink } from './spool/body-sink.ts';
import type { Database } from './store-interfaces.ts';
import {
  expireStoredBodies,
  findStoredBodies,
  listStoredBodies,
  type StoredBodiesRow,
} from './stored-bodies.ts';
import { openTestDatabase } from './test/postgres-database.ts';
import { createTemporaryDirectory } from './test/temporary-directory.ts';

const row = (n: number, more: Partial<StoredBodiesRow> = {}): StoredBodiesRow => ({
  id: `exc_${n}`,
  org_id: 'acme',
  key_id: 'key_1',
  owner: null,
  created_at: n,
  sealed: 'x'.repeat(300_000),
  ...more,
});

async function openSqlite(t: TestContext): Promise<Database> {
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock: systemClock });
  t.after(() => database.close());
  return database;
}

for (const [engine, open] of [
  ['sqlite', openSqlite],
  ['postgres', openTestDatabase],
] as const)
  test(`${engine}: bodies are stored once through their spool, including those that an earlier process left`, async (t) => {
    const database = await open(t);
    const dataDir = createTemporaryDirectory(t);
    const directory = join(dataDir, 'bodies');
    mkdirSync(directory);
    const left = join(directory, 'rows-000000001.jsonl');
    writeFileSync(left, `${JSON.stringify(row(1))}\n${JSON.stringify(row(2))}\n{"id":"no row"}\n`);
    // Its process died here.
    appendFileSync(left, JSON.stringify(row(3)).slice(0, 1000));
    const sink = await openBodySink({ dataDir, database, log: silentLog, clock: systemClock });
    sink.append(row(2, { sealed: 'another' }));
    sink.append(row(4));
    sink.append(row(5, { org_id: 'other' }));
    await sink.flush(30_000);
    assert.equal(sink.backlog(), 0);
    await sink.close();
    assert.deepEqual(readdirSync(directory), ['rows-000000001.rejected']);
    const range = { from: 0, to: 100, limit: 10 };
    const ids = async (orgId: string, within = range) =>
      (await listStoredBodies(database.read, orgId, within)).map(({ id }) => id);
    assert.deepEqual(await ids('acme'), ['exc_4', 'exc_2', 'exc_1']);
    assert.deepEqual(await ids('acme', { from: 2, to: 4, limit: 10 }), ['exc_2']);
    assert.deepEqual(await ids('other'), ['exc_5']);
    assert.deepEqual(await findStoredBodies(database.read, 'acme', 'exc_2'), row(2));
    assert.equal(await findStoredBodies(database.read, 'acme', 'exc_5'), undefined);
    const expired = await database.transaction((writer) => expireStoredBodies(writer, 'acme', 3));
    assert.equal(expired, 2);
    assert.deepEqual([await ids('acme'), await ids('other')], [['exc_4'], ['exc_5']]);
  });
