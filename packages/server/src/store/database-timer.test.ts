import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { silentLog } from '../core/log.ts';
import { type DatabaseOperationKind, DatabaseOperationTimer } from './database-timer.ts';
import { FairTurnScheduler } from './fair-turn-scheduler.ts';
import { openDatabase } from './open-database.ts';
import type { DatabaseSchema } from './schema.ts';
import { ManualClock } from './test/manual-clock.ts';
import { createTemporaryDirectory } from './test/temporary-directory.ts';

interface Observation {
  readonly kind: DatabaseOperationKind;
  readonly ms: number;
}

function createSink() {
  const seen: Observation[] = [];
  const observe = (kind: DatabaseOperationKind, ms: number) => void seen.push({ kind, ms });
  return { seen, observe };
}

/** A dialect whose connections take 5 ms to get and whose queries take 7 ms, and then fail if they should. */
function createSlowDialect(clock: ManualClock, failure: { in: 'connection' | 'query' | null }): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery() {
      clock.advance(7);
      if (failure.in === 'query') throw new Error('query');
      return { rows: [] };
    },
    streamQuery: () => assert.fail(),
  };
  const driver: Driver = {
    init: async () => undefined,
    async acquireConnection() {
      clock.advance(5);
      if (failure.in === 'connection') throw new Error('connection');
      return connection;
    },
    releaseConnection: async (one) => assert.equal(one, connection),
    beginTransaction: () => assert.fail(),
    commitTransaction: () => assert.fail(),
    rollbackTransaction: () => assert.fail(),
    destroy: async () => undefined,
  };
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}

test('the duration of a read is that of its connection and query, also after an error', async () => {
  const clock = new ManualClock();
  const { seen, observe } = createSink();
  const failure: { in: 'connection' | 'query' | null } = { in: null };
  const dialect = new DatabaseOperationTimer(observe, clock).timeReads(
    createSlowDialect(clock, failure),
    new FairTurnScheduler(clock, { total: 1 }),
  );
  const database = new Kysely<DatabaseSchema>({ dialect });
  const read = () => database.selectFrom('orgs').selectAll().execute();
  await read();
  failure.in = 'query';
  await assert.rejects(read(), /query/);
  failure.in = 'connection';
  await assert.rejects(read(), /connection/);
  assert.deepEqual(seen, [
    { kind: 'read', ms: 12 },
    { kind: 'read', ms: 12 },
    { kind: 'read', ms: 5 },
  ]);
});

test('the duration of a transaction includes its wait for another one', async (t) => {
  const clock = new ManualClock();
  const { seen, observe } = createSink();
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock, observe });
  t.after(() => database.close());
  seen.length = 0;
  const gate = Promise.withResolvers<void>();
  const first = database.transaction(() => gate.promise);
  const second = database.rowTransaction(async () => undefined);
  await database.read.selectFrom('orgs').select('id').execute();
  clock.advance(50);
  gate.resolve();
  await Promise.all([first, second]);
  await database.applyBeatsIfUnchanged([], 0);
  assert.deepEqual(seen, [
    { kind: 'read', ms: 0 },
    { kind: 'transaction', ms: 50 },
    { kind: 'transaction', ms: 50 },
    { kind: 'beats', ms: 0 },
  ]);
});
