import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { insertOrg } from './orgs.ts';
import {
  getCountedResultLines,
  insertProviderResources,
  markResultLinesCounted,
} from './provider-resources.ts';
import type { Database } from './store-interfaces.ts';
import {
  deleteStoredResponses,
  expireStoredResponses,
  findStoredResponse,
  insertStoredResponses,
  listStoredConversationTurns,
  type StoredResponseRow,
} from './stored-responses.ts';
import { TEST_ORG_ID } from './test/rows.ts';

const DAY = 86_400_000;
const ALL = { orgId: TEST_ORG_ID, keyId: null };

function turn(id: string, previous: string | null, day: number, more: Partial<StoredResponseRow> = {}) {
  const made = {
    id,
    org_id: TEST_ORG_ID,
    key_id: 'key_one',
    response_id: `resp_${id}`,
    previous_id: previous,
  };
  return { ...made, created_at: day * DAY, origin: 'o', stored_by_provider: 0, sealed: 's', ...more };
}

/** Tests of stored responses that run for every database engine. */
export function storedResponseSuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWith = async (t: TestContext, turns: readonly StoredResponseRow[]) => {
    const database = await open(t);
    await database.transaction((writer) =>
      insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1 }),
    );
    await database.transaction((writer) => insertStoredResponses(writer, turns));
    return database;
  };

  test(`${engine}: the turns of a branch are listed newest first, up to a deleted turn`, async (t) => {
    const rows = [
      turn('a', null, 1),
      turn('b', 'a', 2),
      turn('c', 'b', 3),
      turn('x', 'a', 3),
      turn('y', 'x', 4),
    ];
    const database = await openWith(t, rows);
    const ids = async (id: string, maxBytes = 100) =>
      (await listStoredConversationTurns(database.read, id, maxBytes)).map((row) => row.id);
    assert.deepEqual(await ids('c'), ['c', 'b', 'a']);
    assert.deepEqual(await ids('y'), ['y', 'x', 'a']);
    assert.deepEqual(await ids('y', 3), ['y', 'x', 'a']);
    assert.deepEqual(await ids('y', 1), ['y', 'x'], 'ends after the turn that exceeds the maximum');
    await database.transaction((writer) => deleteStoredResponses(writer, ALL, 'resp_b'));
    assert.deepEqual(await ids('c'), ['c']);
    assert.deepEqual(await ids('b'), []);
  });

  test(`${engine}: each line of batch results is counted once, unless two callers count different parts`, async (t) => {
    const database = await openWith(t, []);
    const owner = { provider: 'main', credential: 'default', kind: 'files', key_id: 'key_one' };
    const row = { ...owner, org_id: TEST_ORG_ID, resource_id: 'file-1', created_at: 1, counted: 0 };
    await database.transaction((writer) => insertProviderResources(writer, [row]));
    const key = { orgId: TEST_ORG_ID, provider: 'main', id: 'file-1' };
    const claim = (from: number, to: number) =>
      database.transaction((writer) => markResultLinesCounted(writer, key, { from, to }));
    const counted = () => getCountedResultLines(database.read, key);
    assert.deepEqual([await counted(), await claim(0, 5), await counted()], [0, true, 5]);
    assert.deepEqual([await claim(0, 3), await claim(0, 5), await counted()], [false, false, 5]);
    assert.deepEqual([await claim(0, 7), await counted()], [true, 7]);
    assert.deepEqual([await claim(5, Infinity), await counted()], [true, Infinity]);
    assert.deepEqual(
      [await claim(0, Infinity), await claim(7, 9), await counted()],
      [false, false, Infinity],
    );
    const unknown = { ...key, id: 'file-2' };
    const lines = { from: 0, to: 1 };
    assert.equal(
      await database.transaction((writer) => markResultLinesCounted(writer, unknown, lines)),
      false,
    );
  });

  test(`${engine}: a response id is found for its owner, the newest of several`, async (t) => {
    const same = { response_id: 'resp_same' };
    const database = await openWith(t, [
      turn('a', null, 1, same),
      turn('b', null, 2, same),
      turn('c', null, 3, { ...same, key_id: 'key_two' }),
    ]);
    const find = async (keyId: string | null, since = 0, orgId = TEST_ORG_ID) =>
      (await findStoredResponse(database.read, { orgId, keyId }, 'resp_same', since))?.id;
    assert.deepEqual(
      [await find('key_one'), await find('key_two'), await find(null), await find('key_three')],
      ['b', 'c', 'c', undefined],
    );
    assert.equal(await find(null, 0, 'org_two'), undefined);
    assert.equal(await find('key_one', 3 * DAY), undefined);
    const own = { orgId: TEST_ORG_ID, keyId: 'key_one' };
    assert.equal(
      await database.transaction((writer) => deleteStoredResponses(writer, own, 'resp_same')),
      true,
    );
    assert.equal(
      await database.transaction((writer) => deleteStoredResponses(writer, own, 'resp_same')),
      false,
    );
    assert.equal(await find(null), 'c');
  });

  test(`${engine}: old turns are deleted, except those that newer turns continue`, async (t) => {
    const rows = [
      turn('a', null, 1),
      turn('b', 'a', 2),
      turn('c', 'b', 9),
      turn('d', null, 1),
      turn('e', 'd', 2),
    ];
    const database = await openWith(t, rows);
    const rounds: number[] = [];
    do
      rounds.push(
        await database.transaction((writer) => expireStoredResponses(writer, TEST_ORG_ID, 5 * DAY)),
      );
    while (rounds.at(-1) !== 0);
    const left = await database.read.selectFrom('stored_responses').select('id').orderBy('id').execute();
    assert.deepEqual(
      left.map(({ id }) => id),
      ['a', 'b', 'c'],
    );
    assert.deepEqual(rounds, [1, 1, 0]);
  });
}
