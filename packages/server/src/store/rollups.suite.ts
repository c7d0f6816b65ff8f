import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { getExchangePage } from './exchanges.ts';
import { insertOrg } from './orgs.ts';
import { expireHistoryExceptExchanges } from './retention.ts';
import {
  getRollupTotals,
  listRollupIntervalSums,
  listRollupIntervalSumsByValue,
  listTopRollupValues,
  type RollupRequest,
} from './rollups/read-rollups.ts';
import { HOUR_MS, MINUTE_MS } from './rollups/rollup-accumulator.ts';
import type { Database, ExchangeRow } from './store-interfaces.ts';
import { ingestRows } from './test/ingest-rows.ts';
import { createTestExchangeRow, TEST_ORG_ID } from './test/rows.ts';

const DAY_MS = 24 * HOUR_MS;
/** The start of a day. */
const T0 = Date.UTC(2026, 10, 21);
const ALL: RollupRequest = { orgId: TEST_ORG_ID, from: T0 - 30 * DAY_MS, to: T0 + DAY_MS, unit: 'hour' };

/**
 * Tests of rollups for every database engine. `open` creates an empty database that is closed when the test
 * ends.
 */
export function rollupSuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWithOrg = async (t: TestContext, keys: readonly string[] = []) => {
    const database = await open(t);
    await database.transaction((writer) =>
      insertOrg(writer, {
        id: TEST_ORG_ID,
        name: 'One',
        created_at: 1,
        metadata_keys_json: JSON.stringify(keys),
      }),
    );
    return database;
  };
  const requests = async (database: Database, more: Partial<RollupRequest> = {}) =>
    (await getRollupTotals(database.read, { ...ALL, ...more, figures: ['requests'] }))[0];

  test(`${engine}: a row counts once, however often and in whatever batch it is inserted`, async (t) => {
    const database = await openWithOrg(t);
    const rows = Array.from({ length: 20 }, (_, n) =>
      createTestExchangeRow(`exc_${n}`, { created_at: T0 + n }),
    );
    await ingestRows(t, database, rows.slice(0, 12));
    await ingestRows(t, database, rows.slice(5));
    await ingestRows(t, database, rows);
    const figures = ['requests', 'input_tokens', 'cost_nano_usd', 'latency_ms'] as const;
    assert.deepEqual(
      await getRollupTotals(database.read, { ...ALL, figures }),
      [20, 24_000, 2_469_120, 18_010],
    );
    assert.equal(await requests(database, { unit: 'minute' }), 20);
    assert.equal(await requests(database, { orgId: 'org_two' }), 0);
  });

  test(`${engine}: the same id twice in one batch is one row and counts once`, async (t) => {
    const database = await openWithOrg(t);
    const row = createTestExchangeRow('exc_a', { created_at: T0 });
    const { inserted, known } = await ingestRows(t, database, [row, row]);
    assert.deepEqual([inserted, known, await requests(database)], [1, 1, 1]);
  });

  test(`${engine}: rows that the table rejects are rejected alone and not counted`, async (t) => {
    const database = await openWithOrg(t);
    const bad = { ...createTestExchangeRow('exc_bad', { created_at: T0 }), status: null };
    const good = createTestExchangeRow('exc_good', { created_at: T0 });
    const result = await ingestRows(t, database, [good, bad, { ...good, id: 'exc_more' }]);
    assert.deepEqual([result.inserted, result.known, result.rejected], [2, 0, [JSON.stringify(bad)]]);
    assert.equal(await requests(database), 2);
  });

  test(`${engine}: rows with an invalid time are rejected alone`, async (t) => {
    const database = await openWithOrg(t);
    const times = [-1, 1.5, 1e300, null, 'today'];
    const bad = times.map((created_at, n) => ({ ...createTestExchangeRow(`exc_${n}`), created_at }));
    const good = createTestExchangeRow('exc_good', { created_at: T0 });
    const { inserted, rejected } = await ingestRows(t, database, [...bad, good]);
    assert.deepEqual([inserted, rejected.length, await requests(database)], [1, bad.length, 1]);
  });

  test(`${engine}: values of a dimension, of two dimensions and of a metadata key are counted separately`, async (t) => {
    const database = await openWithOrg(t, ['env']);
    const metadata = (env: unknown) => ({ metadata_json: JSON.stringify({ env, other: 'x' }) });
    await ingestRows(t, database, [
      createTestExchangeRow('exc_1', { created_at: T0, model: 'large', ...metadata('prod') }),
      createTestExchangeRow('exc_2', {
        created_at: T0 + HOUR_MS,
        model: 'large',
        key_id: 'key_two',
        ...metadata('prod'),
      }),
      createTestExchangeRow('exc_3', {
        created_at: T0 + HOUR_MS,
        model: 'small',
        status: 503,
        state: 'failed',
      }),
      createTestExchangeRow('exc_4', {
        created_at: T0 + HOUR_MS,
        model: null,
        status: 403,
        state: 'failed',
        ...metadata(7),
      }),
    ]);
    const top = async (
      groupBy: 'model' | 'status_class' | 'metadata.env',
      more: Partial<RollupRequest> = {},
    ) => {
      const wanted = {
        ...ALL,
        ...more,
        groupBy,
        order: 'requests',
        figures: ['requests', 'errors'],
      } as const;
      const found = await listTopRollupValues(database.read, { ...wanted, limit: 10 });
      return found.map(({ value, sums }) => [value, ...sums]);
    };
    assert.deepEqual(await top('model'), [
      ['acme/large', 2, 0],
      ['', 1, 1],
      ['acme/small', 1, 1],
    ]);
    assert.deepEqual(await top('status_class'), [
      ['2xx', 2, 0],
      ['4xx', 1, 1],
      ['5xx', 1, 1],
    ]);
    assert.deepEqual(await top('metadata.env'), [
      ['prod', 2, 0],
      ['7', 1, 1],
    ]);
    const ofKey = { filter: { facet: 'key', any: ['key_two'], none: [] } } as const;
    assert.deepEqual(await top('model', ofKey), [['acme/large', 1, 0]]);
    const of2xx = { filter: { facet: 'model', any: ['acme/large'], none: [] } } as const;
    assert.deepEqual(await top('status_class', of2xx), [['2xx', 2, 0]]);
    assert.equal(await requests(database, { filter: { facet: 'metadata.env', any: ['prod'], none: [] } }), 2);
  });

  test(`${engine}: a blocked request counts for the requested model`, async (t) => {
    const database = await openWithOrg(t);
    const blocked = { model: null, provider: null, status: 402, state: 'blocked' } as const;
    const at = (n: number) => T0 + n * 60_000;
    await ingestRows(t, database, [
      createTestExchangeRow('exc_1', { ...blocked, created_at: at(0), model_requested: 'acme/large' }),
      createTestExchangeRow('exc_2', { ...blocked, created_at: at(1), model_requested: 'smart' }),
      createTestExchangeRow('exc_3', { ...blocked, created_at: at(2), model_requested: null }),
      createTestExchangeRow('exc_4', { ...blocked, created_at: at(3), state: 'failed', status: 404 }),
    ]);
    const top = async (range: Partial<RollupRequest>) => {
      const wanted = {
        ...ALL,
        ...range,
        groupBy: 'model',
        order: 'requests',
        figures: ['requests'],
      } as const;
      const found = await listTopRollupValues(database.read, { ...wanted, limit: 10 });
      return found.map(({ value, sums }) => [value, ...sums]).sort();
    };
    const all = [
      ['', 2],
      ['acme/large', 1],
      ['smart', 1],
    ];
    assert.deepEqual(await top({}), all);
  });

  test(`${engine}: intervals add hours to days and contain the requests that began in them`, async (t) => {
    const database = await openWithOrg(t);
    const times = [T0 - 1, T0, T0 + HOUR_MS - 1, T0 + HOUR_MS, T0 + 23 * HOUR_MS];
    await ingestRows(
      t,
      database,
      times.map((created_at, n) => createTestExchangeRow(`exc_${n}`, { created_at })),
    );
    const figures = ['requests'] as const;
    const steps = (stepMs: number) => listRollupIntervalSums(database.read, { ...ALL, stepMs, figures });
    assert.deepEqual(await steps(DAY_MS), [
      { at: T0 - DAY_MS, sums: [1] },
      { at: T0, sums: [4] },
    ]);
    assert.deepEqual(
      (await steps(HOUR_MS)).map(({ at, sums }) => [(at - T0) / HOUR_MS, sums[0]]),
      [
        [-1, 1],
        [0, 2],
        [1, 1],
        [23, 1],
      ],
    );
    const wanted = { ...ALL, groupBy: 'model', values: ['acme/acme-large', 'none'], figures } as const;
    for (const [stepMs, count] of [
      [HOUR_MS, 4],
      [DAY_MS, 2],
    ] as const) {
      const series = await listRollupIntervalSumsByValue(database.read, { ...wanted, stepMs });
      assert.equal(series.length, count);
      assert.equal(
        series.reduce((sum, { sums }) => sum + (sums[0] ?? 0), 0),
        5,
      );
    }
  });

  test(`${engine}: lists find rows by an indexed metadata key with other filters, in pages`, async (t) => {
    const database = await openWithOrg(t, ['env']);
    const rows = Array.from({ length: 30 }, (_, n) =>
      createTestExchangeRow(`exc_${String(n).padStart(2, '0')}`, {
        created_at: T0 + n,
        status: n % 3 === 0 ? 429 : 200,
        metadata_json: JSON.stringify({ env: n % 2 === 0 ? 'prod' : 'test', build: String(n % 4) }),
      }),
    );
    await ingestRows(t, database, rows);
    const ids = async (more: object) => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await getExchangePage(database.read, { orgId: TEST_ORG_ID, limit: 4, cursor, ...more });
        found.push(...page.rows.map(({ id }) => id.slice(4)));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return found.join(' ');
    };
    const is = (...any: string[]) => ({ any, none: [] });
    const prod = { metadata: { env: is('prod') } };
    const refused = { any: [{ from: 400, to: 499 }], none: [] };
    assert.equal(await ids({ ...prod, status: refused }), '24 18 12 06 00');
    assert.equal(await ids({ metadata: { env: is('prod'), build: is('2') }, to: T0 + 20 }), '18 14 10 06 02');
    assert.equal(await ids({ metadata: { env: is('prod', 'test') }, from: T0 + 25 }), '29 28 27 26 25');
    assert.equal(await ids({ ...prod, model: is('fast'), from: T0 + 25 }), '28 26');
    assert.equal(await ids({ metadata: { env: is('none') } }), '');
  });

  test(`${engine}: rows older than the retention period are deleted with their rollups, and nothing else`, async (t) => {
    const database = await openWithOrg(t, ['env']);
    const metadata_json = '{"env":"prod"}';
    const days = [10, 5, 4, 1, 0];
    await ingestRows(
      t,
      database,
      days.map((day) =>
        createTestExchangeRow(`exc_${day}`, { created_at: T0 - day * DAY_MS, metadata_json }),
      ),
    );
    const before = T0 - 4 * DAY_MS;
    assert.equal(await database.expireExchanges(before), true);
    await expireHistoryExceptExchanges(database, {
      requestsMs: before,
      auditMs: 0,
      responsesMs: 0,
      bodiesMs: 0,
      nowMs: T0,
    });
    const list = async (more: object = {}) => {
      const { rows } = await getExchangePage(database.read, { orgId: TEST_ORG_ID, limit: 10, ...more });
      return rows.map(({ id }) => id);
    };
    assert.deepEqual(await list(), ['exc_0', 'exc_1', 'exc_4']);
    assert.deepEqual(await list({ metadata: { env: { any: ['prod'], none: [] } } }), [
      'exc_0',
      'exc_1',
      'exc_4',
    ]);
    const entries = await database.read.selectFrom('exchange_metadata').select('exchange_id').execute();
    assert.deepEqual(entries.map((entry) => entry.exchange_id).sort(), ['exc_0', 'exc_1', 'exc_4']);
    assert.equal(await requests(database), 3);
    assert.equal(await requests(database, { unit: 'minute' }), 3);
    assert.equal(await database.expireExchanges(before), false);
  });

  test(`${engine}: a change is announced when it is committed, and not if it is rolled back`, async (t) => {
    const database = await openWithOrg(t);
    let told = 0;
    const heard = Promise.withResolvers<void>();
    database.signals.onChange(() => {
      told += 1;
      heard.resolve();
    });
    const undone = database.transaction(async (writer) => {
      await database.signals.announce(writer);
      throw new Error('changed my mind');
    });
    await assert.rejects(undone, /changed my mind/);
    assert.equal(told, 0);
    await database.transaction((writer) => database.signals.announce(writer));
    await heard.promise;
    assert.equal(told, 1);
  });

  test(`${engine}: sums above 2^53 nano-USD are read correctly`, async (t) => {
    const database = await openWithOrg(t);
    const rows: ExchangeRow[] = [1, 2, 3].map((n) =>
      createTestExchangeRow(`exc_${n}`, { created_at: T0 + n * MINUTE_MS, cost_nano_usd: 9e15 }),
    );
    await ingestRows(t, database, rows);
    const [cost] = await getRollupTotals(database.read, { ...ALL, figures: ['cost_nano_usd'] });
    assert.equal(cost, 2.7e16);
  });

  test(`${engine}: sums that would not fit into their columns have a maximum, and all rows are stored`, async (t) => {
    const database = await openWithOrg(t);
    const cost_nano_usd = 5e18;
    const rows = [1, 2, 3, 4].map((n) =>
      createTestExchangeRow(`exc_${n}`, { created_at: T0 + n * HOUR_MS, cost_nano_usd }),
    );
    const more = createTestExchangeRow('exc_5', { created_at: T0 + HOUR_MS + 1, cost_nano_usd });
    const other = createTestExchangeRow('exc_6', { org_id: 'org_two', created_at: T0 });
    const inserted = [
      await ingestRows(t, database, [...rows, more, other]),
      await ingestRows(t, database, [{ ...more, id: 'exc_7' }]),
    ];
    assert.deepEqual(
      inserted.map((result) => [result.inserted, result.rejected.length]),
      [
        [6, 0],
        [1, 0],
      ],
    );
    const figures = ['requests', 'cost_nano_usd'] as const;
    assert.deepEqual(await getRollupTotals(database.read, { ...ALL, figures }), [6, 4 * 4e18]);
    const top = { ...ALL, figures, groupBy: 'provider', order: 'cost_nano_usd', limit: 1 } as const;
    const [first] = await listTopRollupValues(database.read, top);
    assert.deepEqual(first?.sums, [6, 4 * 4e18]);
  });
}
