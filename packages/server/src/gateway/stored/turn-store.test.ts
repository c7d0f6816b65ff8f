// Tier: ci. Starts PostgreSQL.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { systemClock } from '../../core/clock.ts';
import { deriveStoredResponsesKey } from '../../platform/secrets.ts';
import type { Database } from '../../store/store-interfaces.ts';
import { openTestDatabase } from '../../store/test/postgres-database.ts';
import { createTurnStore, type StoredTurn } from './turn-store.ts';

const OWNER = { orgId: 'org_one', keyId: null };

function turn(id: string, more: Partial<StoredTurn> = {}): StoredTurn {
  return {
    id,
    orgId: OWNER.orgId,
    keyId: 'key_one',
    previousId: null,
    createdAt: Date.now(),
    origin: 'o',
    held: false,
    model: 'a/m',
    input: [],
    response: { id: `resp_${id}` },
    ...more,
  };
}

function createStore(database: Pick<Database, 'read' | 'transaction'>) {
  const key = deriveStoredResponsesKey(Buffer.alloc(32, 1));
  return createTurnStore({ database, key, clock: systemClock, retentionDays: () => 30 });
}

async function open(t: TestContext) {
  const database = await openTestDatabase(t);
  const store = createStore(database);
  const find = async (responseId: string) => (await store.find(OWNER, responseId))?.id;
  return { database, store, find };
}

const statusOf = (results: readonly PromiseSettledResult<void>[]) => results.map(({ status }) => status);

test('a turn that PostgreSQL rejects does not prevent the storage of other turns', async (t) => {
  const { store, find } = await open(t);
  // The first turn is stored alone, the others in one batch.
  const turns = [turn('a'), turn('b'), turn('c', { orgId: 'org_\0' }), turn('d')];
  const results = await Promise.allSettled(turns.map((each) => store.store(each)));
  assert.deepEqual(statusOf(results), ['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  assert.deepEqual([await find('resp_b'), await find('resp_d')], ['b', 'd']);
});

test('a response id that no database can store or find is rejected before the query', async (t) => {
  const { store, find } = await open(t);
  for (const id of ['resp_\0', 'resp_\ud800', 'r'.repeat(100_000)]) {
    await assert.rejects(store.store(turn('a', { response: { id } })), /response id/);
    assert.equal(await find(id), undefined);
  }
});

/** Returns an object whose methods build a query, which results in `rows`. Stored rows are added to `rows`. */
function createFakeQuery(rows: unknown[]): never {
  const query: unknown = new Proxy(
    {},
    {
      get: (_, name) => (argument: unknown) => {
        if (name === 'values') rows.unshift(argument);
        return name === 'execute' ? Promise.resolve(rows) : query;
      },
    },
  );
  return query as never;
}

async function storeConversation(turns: readonly StoredTurn[]) {
  const rows: unknown[] = [];
  const query = createFakeQuery(rows);
  const store = createStore({ read: query, transaction: (run) => run(query) });
  for (const each of turns) await store.store(each);
  return { store, rows };
}

test('the event loop continues while a long conversation is read', async () => {
  const values: unknown = JSON.parse(`[${'1.5,'.repeat(500_000)}1]`);
  const ids = ['a', 'b', 'c'];
  const turns = ids.map((id, at) =>
    turn(id, { previousId: ids[at - 1] ?? null, response: { id, values: values as number[] } }),
  );
  const { store } = await storeConversation(turns);
  const last = turns.at(-1) ?? assert.fail();
  let iterations = 0;
  const count = () => {
    iterations += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const read = await store.conversation(last);
  clearImmediate(next);
  assert.deepEqual(
    read?.map(({ id }) => id),
    ids,
  );
  assert.ok(iterations > 3, `${iterations} iterations of the event loop`);
});

test('a conversation that is too large is rejected before it is decrypted', async () => {
  const { store, rows } = await storeConversation([turn('a'), turn('b', { previousId: 'a' })]);
  for (const row of rows) Object.assign(row as object, { sealed: 'a'.repeat(33 * 1024 * 1024) });
  await assert.rejects(store.conversation(turn('b', { previousId: 'a' })), { code: 'request_too_large' });
});

test('if the database is unavailable, turns are not written one at a time', async () => {
  let transactions = 0;
  const store = createStore({
    get read(): never {
      return assert.fail();
    },
    async transaction() {
      transactions += 1;
      throw new Fault('overloaded', 'The database is unavailable.');
    },
  });
  const results = await Promise.allSettled(['a', 'b', 'c'].map((id) => store.store(turn(id))));
  assert.deepEqual([...new Set(statusOf(results))], ['rejected']);
  assert.equal(transactions, 2);
});
