import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { insertOrg } from './orgs.ts';
import { expireRollups } from './rollups/expire-rollups.ts';
import { mergeMinutesIntoQuarterHours, QUARTER_HOUR_MS } from './rollups/quarter-hours.ts';
import { HOUR_MS, MINUTE_MS } from './rollups/rollup-accumulator.ts';
import type { Database } from './store-interfaces.ts';
import { ingestRows } from './test/ingest-rows.ts';
import { createTestExchangeRow, TEST_ORG_ID } from './test/rows.ts';

const DAY_MS = 24 * HOUR_MS;
/** The start of a day. */
const T0 = Date.UTC(2026, 10, 21);
const OTHER = 'org_other';

/**
 * Tests of rollup expiry for every database engine. `open` creates an empty database that is closed
 * when the test ends.
 */
export function rollupExpirySuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWithRows = async (t: TestContext, times: readonly number[]) => {
    const database = await open(t);
    for (const id of [TEST_ORG_ID, OTHER])
      await database.transaction((writer) =>
        insertOrg(writer, { id, name: id, created_at: 1, metadata_keys_json: '["project"]' }),
      );
    const metadata_json = '{"project":"blue"}';
    const rows = times.flatMap((created_at, n) => [
      createTestExchangeRow(`exc_${n}`, { created_at, key_id: `key_${n % 7}`, latency_ms: n, metadata_json }),
      createTestExchangeRow(`exc_other_${n}`, { created_at, org_id: OTHER }),
    ]);
    await ingestRows(t, database, rows);
    return database;
  };
  const minutesOf = ({ read }: Database, orgId = TEST_ORG_ID) =>
    read
      .selectFrom('rollup_minutes')
      .selectAll()
      .where('org_id', '=', orgId)
      .orderBy('facet')
      .orderBy('at')
      .orderBy('value')
      .execute();
  const timesOf = async (database: Database, facet = 'all') =>
    (await minutesOf(database)).filter((row) => row.facet === facet).map(({ at }) => at);

  test(`${engine}: old minutes are merged into quarter-hours with the same sums`, async (t) => {
    const every = Array.from({ length: 200 }, (_, n) => T0 + n * MINUTE_MS + (n % 60) * 1000);
    const database = await openWithRows(t, every);
    const before = await minutesOf(database);
    const others = await minutesOf(database, OTHER);
    const until = T0 + 150 * MINUTE_MS + 1;
    await mergeMinutesIntoQuarterHours(database, TEST_ORG_ID, until);
    const after = await minutesOf(database);
    const cut = until - (until % QUARTER_HOUR_MS);
    assert.ok(after.every(({ at }) => at >= cut || at % QUARTER_HOUR_MS === 0));
    const expected = new Map<string, number[]>();
    for (const { org_id, facet, at, value, ...figures } of before) {
      const name = `${org_id} ${facet} ${at < cut ? at - (at % QUARTER_HOUR_MS) : at} ${value}`;
      const sums = Object.values(figures);
      expected.set(
        name,
        sums.map((sum, n) => sum + (expected.get(name)?.[n] ?? 0)),
      );
    }
    const found = after.map(({ org_id, facet, at, value, ...figures }) => {
      const sums: readonly number[] = Object.values(figures);
      return [`${org_id} ${facet} ${at} ${value}`, sums] as const;
    });
    assert.deepEqual(new Map(found), expected);
    assert.deepEqual(await minutesOf(database, OTHER), others);
  });

  test(`${engine}: minutes with large sums of money are merged`, async (t) => {
    const database = await openWithRows(t, []);
    const rows = [0, 1, 2, 20, 40].map((n) =>
      createTestExchangeRow(`exc_${n}`, { created_at: T0 + n * MINUTE_MS, cost_nano_usd: 3e18 }),
    );
    await ingestRows(t, database, rows);
    await mergeMinutesIntoQuarterHours(database, TEST_ORG_ID, T0 + DAY_MS);
    const all = (await minutesOf(database)).filter(({ facet }) => facet === 'all');
    assert.deepEqual(
      all.map((row) => [row.at, row.requests, row.cost_nano_usd]),
      [
        [T0, 3, 4e18],
        [T0 + QUARTER_HOUR_MS, 1, 3e18],
        [T0 + 2 * QUARTER_HOUR_MS, 1, 3e18],
      ],
    );
  });

  test(`${engine}: more minutes than fit in one transaction, and late rows, are merged too`, async (t) => {
    const every = Array.from({ length: 1300 }, (_, n) => T0 + n * MINUTE_MS);
    const database = await openWithRows(t, every);
    const until = T0 + DAY_MS;
    await mergeMinutesIntoQuarterHours(database, TEST_ORG_ID, until);
    assert.equal((await timesOf(database)).length, Math.ceil(1300 / 15));
    assert.equal((await timesOf(database, 'metadata.project')).length, Math.ceil(1300 / 15));
    await ingestRows(t, database, [createTestExchangeRow('exc_late', { created_at: T0 + 7 * MINUTE_MS })]);
    assert.equal((await timesOf(database)).length, Math.ceil(1300 / 15) + 1);
    await mergeMinutesIntoQuarterHours(database, TEST_ORG_ID, until);
    const all = (await minutesOf(database)).filter(({ facet }) => facet === 'all');
    assert.deepEqual([all.length, all[0]?.requests], [Math.ceil(1300 / 15), 16]);
  });

  test(`${engine}: an interrupted merge continues where it stopped`, async (t) => {
    const database = await openWithRows(
      t,
      Array.from({ length: 60 }, (_, n) => T0 + n * MINUTE_MS),
    );
    let left = 3;
    const breaking: Pick<Database, 'read' | 'transaction'> = {
      read: database.read,
      transaction: (work) =>
        left-- > 0 ? database.transaction(work) : Promise.reject(new Error('the database is away')),
    };
    await assert.rejects(mergeMinutesIntoQuarterHours(breaking, TEST_ORG_ID, T0 + DAY_MS), /away/);
    await mergeMinutesIntoQuarterHours(database, TEST_ORG_ID, T0 + DAY_MS);
    const left15 = (await minutesOf(database)).filter(({ at }) => at % QUARTER_HOUR_MS !== 0);
    assert.deepEqual(left15, []);
    assert.equal((await timesOf(database)).length, 4);
  });

  test(`${engine}: more rollups than fit in one transaction are deleted, and none of the retained days`, async (t) => {
    const keys = Array.from({ length: 2_100 }, (_, n) => `key_${n}`);
    const database = await openWithRows(t, [T0]);
    for (const [day, at] of [T0 - 9 * DAY_MS, T0].entries())
      await ingestRows(
        t,
        database,
        keys.map((key_id) => createTestExchangeRow(`exc_${day}_${key_id}`, { created_at: at, key_id })),
      );
    const timesIn = async (table: 'rollup_minutes' | 'rollup_hours' | 'rollup_pairs') => {
      const rows = await database.read
        .selectFrom(table)
        .select('at')
        .where('org_id', '=', TEST_ORG_ID)
        .execute();
      return rows.map(({ at }) => at);
    };
    const tables = ['rollup_minutes', 'rollup_hours', 'rollup_pairs'] as const;
    for (const table of tables)
      assert.ok((await timesIn(table)).filter((at) => at < T0).length > keys.length, table);
    await expireRollups(database, TEST_ORG_ID, { requestsMs: T0 - DAY_MS, minutesMs: T0 - DAY_MS });
    for (const table of tables) {
      const times = await timesIn(table);
      assert.ok(times.length > keys.length && times.every((at) => at === T0), table);
    }
  });

  test(`${engine}: whole days of expired rollups are deleted, and those of other organizations remain`, async (t) => {
    const days = [10, 6, 5, 4, 1, 0];
    const database = await openWithRows(
      t,
      days.map((day) => T0 - day * DAY_MS + HOUR_MS),
    );
    const oldest = async (table: 'rollup_minutes' | 'rollup_hours' | 'rollup_pairs', orgId = TEST_ORG_ID) => {
      const rows = await database.read.selectFrom(table).select('at').where('org_id', '=', orgId).execute();
      return Math.min(...rows.map(({ at }) => at));
    };
    const requestsMs = T0 - 5 * DAY_MS + 12 * HOUR_MS;
    await expireRollups(database, TEST_ORG_ID, { requestsMs, minutesMs: T0 - 3 * DAY_MS });
    for (const table of ['rollup_minutes', 'rollup_hours', 'rollup_pairs'] as const) {
      assert.equal(await oldest(table), T0 - 5 * DAY_MS + HOUR_MS, table);
      assert.equal(await oldest(table, OTHER), T0 - 10 * DAY_MS + HOUR_MS, table);
    }
    const facets = await database.read
      .selectFrom('rollup_hours')
      .select('facet')
      .distinct()
      .where('org_id', '=', TEST_ORG_ID)
      .where('at', '<', T0 - 4 * DAY_MS)
      .execute();
    assert.ok(facets.length >= 14, 'every facet keeps its day');
  });
}
