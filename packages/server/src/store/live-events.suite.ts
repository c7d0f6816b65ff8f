import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { getDatabaseEngine } from './database-engine.ts';
import { getLiveBatchMatches } from './live-batch-matches.ts';
import {
  expireLiveEvents,
  getLatestLiveEventPosition,
  hasAllLiveEventsAfter,
  isLiveEventPositionAfter,
  type LiveEventPosition,
  listLiveEventData,
  listLiveEventsAfter,
  publishLiveEvent,
  type StoredLiveEvent,
} from './live-events.ts';
import { parseLiveExchangeBatch } from './live-exchange-batches.ts';
import { insertOrg } from './orgs.ts';
import type { Database, DatabaseWriter } from './store-interfaces.ts';
import { ingestRows } from './test/ingest-rows.ts';
import { createTestExchangeRow, TEST_ORG_ID } from './test/rows.ts';

const OTHER = 'org_two';
const NOW = Date.UTC(2026, 10, 21);

/**
 * Waits for older transactions in other databases of the same PostgreSQL server, because they also delay
 * events.
 */
async function waitUntilVisible({ read }: Database): Promise<void> {
  if (getDatabaseEngine(read) === 'sqlite') return;
  const [newest] = await read
    .selectFrom('live_events')
    .select('xid')
    .orderBy('xid', 'desc')
    .limit(1)
    .execute();
  await eventually(
    async () => (await getLatestLiveEventPosition(read)).xid >= (newest?.xid ?? 0) || undefined,
  );
}

/**
 * Tests of live events and their order that run for every database engine. `open` creates an empty
 * database that is closed when the test ends.
 */
export function liveEventSuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWithOrgs = async (t: TestContext) => {
    const database = await open(t);
    await database.transaction(async (writer) => {
      await insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1 });
      await insertOrg(writer, { id: OTHER, name: 'Two', created_at: 1 });
    });
    return database;
  };
  const tell = (writer: DatabaseWriter, n: number, orgId = TEST_ORG_ID, at = NOW) =>
    publishLiveEvent(writer, { orgId, topic: 'audit', at, data: { n } });
  const afterNow = (database: Database, position: LiveEventPosition, limit = 100, orgIds = [TEST_ORG_ID]) =>
    listLiveEventsAfter(database.read, { orgIds, after: position, limit });
  const after = async (...[database, ...query]: Parameters<typeof afterNow>) => {
    await waitUntilVisible(database);
    return afterNow(database, ...query);
  };
  const numbers = (events: readonly StoredLiveEvent[]) => events.map(({ data }) => Object(data).n);

  test(`${engine}: events of an organization are read once each, in order, in pages, and without those of others`, async (t) => {
    const database = await openWithOrgs(t);
    await database.transaction((writer) => tell(writer, 0));
    await waitUntilVisible(database);
    const head = await getLatestLiveEventPosition(database.read);
    for (let n = 1; n <= 7; n++)
      await database.transaction(async (writer) => {
        await tell(writer, n);
        await tell(writer, n, OTHER);
      });
    const seen: unknown[] = [];
    let position = head;
    for (let pages = 0; pages < 10; pages++) {
      const events = await after(database, position, 3);
      seen.push(...numbers(events));
      const last = events.at(-1);
      if (!last) break;
      position = last.position;
    }
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7]);
    assert.equal((await after(database, head, 100, [TEST_ORG_ID, OTHER])).length, 14);
  });

  test(`${engine}: events of a slower transaction are read after it commits, and none is skipped`, async (t) => {
    const database = await openWithOrgs(t);
    let position = await getLatestLiveEventPosition(database.read);
    const seen: unknown[] = [];
    const look = async (read = after) => {
      for (const event of await read(database, position)) {
        seen.push(...numbers([event]));
        position = event.position;
      }
    };
    if (getDatabaseEngine(database.read) === 'sqlite') {
      await database.rowTransaction((writer) => tell(writer, 1));
      await database.rowTransaction((writer) => tell(writer, 2));
    } else {
      const begun = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const slow = database.rowTransaction(async (writer) => {
        await tell(writer, 1);
        begun.resolve();
        await release.promise;
      });
      await begun.promise;
      await database.rowTransaction((writer) => tell(writer, 2));
      await look(afterNow);
      assert.deepEqual(seen, [], 'the first is still to come');
      const beyond = { orgId: TEST_ORG_ID, topic: 'audit', after: position, limit: 9 } as const;
      const committed = await listLiveEventData(database.read, beyond);
      assert.deepEqual(committed, [{ n: 2 }], 'what is there and not told yet is known');
      release.resolve();
      await slow;
    }
    await look();
    assert.deepEqual(seen, [1, 2]);
  });

  test(`${engine}: events of a rolled back transaction are not read`, async (t) => {
    const database = await openWithOrgs(t);
    const head = await getLatestLiveEventPosition(database.read);
    const undone = database.transaction(async (writer) => {
      await tell(writer, 1);
      throw new Error('changed my mind');
    });
    await assert.rejects(undone, /changed my mind/);
    assert.deepEqual(await after(database, head), []);
  });

  test(`${engine}: old events are deleted, and readers before them learn that they missed some`, async (t) => {
    const database = await openWithOrgs(t);
    const head = await getLatestLiveEventPosition(database.read);
    await database.transaction((writer) => tell(writer, 1, TEST_ORG_ID, NOW - 2 * 86_400_000));
    const [first] = await after(database, head);
    await database.transaction((writer) => tell(writer, 2));
    await database.rowTransaction((writer) => expireLiveEvents(writer, NOW));
    assert.deepEqual(numbers(await after(database, head)), [2]);
    assert.equal(await hasAllLiveEventsAfter(database.read, TEST_ORG_ID, head), false);
    assert.equal(await hasAllLiveEventsAfter(database.read, TEST_ORG_ID, first?.position ?? head), true);
    assert.equal(await hasAllLiveEventsAfter(database.read, OTHER, head), true);
  });

  test(`${engine}: the latest position does not move back when all events are deleted`, async (t) => {
    const database = await openWithOrgs(t);
    await database.transaction((writer) => tell(writer, 1, TEST_ORG_ID, NOW - 2 * 86_400_000));
    await waitUntilVisible(database);
    const latest = await getLatestLiveEventPosition(database.read);
    await database.rowTransaction((writer) => expireLiveEvents(writer, NOW));
    assert.equal(isLiveEventPositionAfter(latest, await getLatestLiveEventPosition(database.read)), false);
  });

  test(`${engine}: only the last events of an organization are kept`, async (t) => {
    const database = await openWithOrgs(t);
    const head = await getLatestLiveEventPosition(database.read);
    await database.transaction(async (writer) => {
      const row = { org_id: TEST_ORG_ID, topic: 'audit', at: NOW, data_json: '{}' };
      for (let n = 0; n < 5; n++)
        await writer
          .insertInto('live_events')
          .values(Array.from({ length: 500 }, () => row))
          .execute();
    });
    await database.rowTransaction((writer) => expireLiveEvents(writer, NOW));
    assert.equal((await after(database, head, 5_000)).length, 2_048);
    assert.equal(await hasAllLiveEventsAfter(database.read, TEST_ORG_ID, head), false);
  });

  test(`${engine}: new rows are announced with their batch, and counted exactly, however many are read`, async (t) => {
    const database = await openWithOrgs(t);
    const head = await getLatestLiveEventPosition(database.read);
    const rows = Array.from({ length: 30 }, (_, n) =>
      createTestExchangeRow(`exc_${String(n).padStart(2, '0')}`, {
        created_at: NOW + n,
        ...(n % 3 === 0 && { status: 429, state: 'blocked', error_code: 'rate_limit_exceeded' }),
      }),
    );
    await ingestRows(t, database, [
      ...rows,
      createTestExchangeRow('exc_far', { org_id: OTHER, created_at: NOW }),
    ]);
    await ingestRows(t, database, [
      ...rows.slice(0, 5),
      createTestExchangeRow('exc_more', { created_at: NOW + 99 }),
    ]);
    const events = await after(database, head);
    const batches = events.flatMap(({ data }) => parseLiveExchangeBatch(Object(data)) ?? []);
    assert.deepEqual(
      batches.map(({ ids, rate_limited }) => [ids.length, rate_limited]),
      [
        [30, 10],
        [1, 0],
      ],
    );
    const tail = async (limit: number, filters = {}) => {
      const found = await getLiveBatchMatches(
        database.read,
        batches,
        { orgId: TEST_ORG_ID, ...filters },
        limit,
      );
      return [found.count, found.rows.map(({ id }) => id.slice(4)).join(' ')];
    };
    assert.deepEqual(await tail(100, { textColumns: { state: { any: ['blocked'], none: [] } } }), [
      10,
      '27 24 21 18 15 12 09 06 03 00',
    ]);
    const blocked = await tail(3, { textColumns: { state: { any: ['blocked'], none: [] } } });
    assert.equal(blocked[0], 10);
    assert.equal((await tail(4))[0], 31);
    assert.deepEqual(await tail(4, { key: { any: ['nobody'], none: [] } }), [0, '']);
  });
}
