import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { classifyExchangeOutcome } from '@floe/contract/exchange-outcome';
import type { ValueFilter } from './exchange-filters.ts';
import { type ExchangeQuery, getExchangePage } from './exchanges.ts';
import { insertOrg } from './orgs.ts';
import {
  getRollupTotals,
  listTopRollupValues,
  type RollupFacet,
  type RollupFacetFilter,
} from './rollups/read-rollups.ts';
import { MINUTE_MS, PAIRED_DIMENSIONS, UNPAIRED_DIMENSIONS } from './rollups/rollup-accumulator.ts';
import { ROLLUP_SUM_COLUMNS } from './rollups/rollup-figures.ts';
import type { Database, ExchangeRow } from './store-interfaces.ts';
import { ingestRows } from './test/ingest-rows.ts';
import { createTestExchangeRow, TEST_ORG_ID } from './test/rows.ts';

/** The start of an hour. */
const T0 = Date.UTC(2026, 10, 21);
const ROWS = 240;
/** Rows scanned per page: so few that pages end within a scan. */
const MAX_SCANNED_ROWS = 25;
const RUNS = process.env['FLOE_TEST_FULL'] ? 200 : 14;

/** Random numbers in [0, 1), the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Pick = <Value>(values: readonly Value[]) => Value;

function picker(random: () => number): Pick {
  return (values) => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
}

const MODELS = ['large', 'small', 'tiny'];
const STATES = ['complete', 'complete', 'failed', 'blocked', 'cached'];
const KEYS = ['key_a', 'key_b', 'key_c'];

function anyRow(n: number, pick: Pick): ExchangeRow {
  const status = pick([200, 200, 200, 404, 429, 503]);
  return createTestExchangeRow(`exc_${String(n).padStart(4, '0')}`, {
    // Many rows have the same time, so that their order depends on the id.
    created_at: T0 + pick([0, 1, 2, 3]) * 17 * MINUTE_MS + Math.floor(n / 8),
    model: pick(['', ...MODELS]) || null,
    model_requested: pick(MODELS),
    key_id: pick(KEYS),
    provider: pick(['acme', 'other']),
    route_mode: pick(['unified', 'unified', 'ide']),
    state: pick(STATES),
    status,
    error_code: status >= 400 ? pick(['x', 'y']) : null,
    team: pick(['', 'sre']) || null,
    latency_ms: pick([5, 50, 500]),
    cost_nano_usd: pick([0, 7, 1_000_000]),
    metadata_json: pick(['', '{"env":"prod","build":"1"}', '{"env":"test"}']) || null,
  });
}

function anyQuery(pick: Pick): ExchangeQuery {
  const choice = (values: readonly string[]): ValueFilter =>
    pick<ValueFilter>([
      { any: [pick(values)], none: [] },
      { any: [pick(values), pick(values)], none: [] },
      { any: [], none: [pick(values)] },
    ]);
  const all: readonly (() => Partial<ExchangeQuery>)[] = [
    () => ({ model: choice([...MODELS, 'acme/large', 'acme/tiny', 'other/small']) }),
    () => ({ key: choice(KEYS) }),
    () => ({ textColumns: { state: choice(STATES), provider: choice(['acme', 'none']) } }),
    () => ({ textColumns: { route_mode: choice(['ide', 'unified']), error_code: choice(['x', 'z']) } }),
    () => ({
      status: {
        any: [
          { from: 429, to: 429 },
          { from: 500, to: 599 },
        ],
        none: [],
      },
    }),
    () => ({ status: { any: [], none: [{ from: 200, to: 299 }] } }),
    () => ({ numericColumns: { latency_ms: { from: 50 }, cost_nano_usd: { to: 7 } } }),
    () => ({ metadata: { env: choice(['prod', 'test']) } }),
    () => ({ metadata: { build: choice(['1', '2']) } }),
    () => ({ from: T0 + 17 * MINUTE_MS, to: T0 + 40 * MINUTE_MS }),
  ];
  return { orgId: TEST_ORG_ID, limit: pick([1, 3, 7, 50]), ...pick(all)(), ...pick(all)() };
}

/** The reference implementation of every filter. */
function passes(row: ExchangeRow, query: ExchangeQuery): boolean {
  const fits = (value: string | null, choice: ValueFilter | undefined) =>
    !choice ||
    ((choice.any.length === 0 || (value !== null && choice.any.includes(value))) &&
      (value === null || !choice.none.includes(value)));
  const { textColumns = {}, numericColumns = {}, metadata = {}, model, status } = query;
  const within = ({ from, to }: { from: number; to: number }) => row.status >= from && row.status <= to;
  const members: Record<string, unknown> = JSON.parse(row.metadata_json ?? '{}');
  const models = [row.model, row.model_requested, row.model === null ? null : `${row.provider}/${row.model}`];
  return [
    fits(row.key_id, query.key),
    !model ||
      ((model.any.length === 0 || models.some((one) => one !== null && model.any.includes(one))) &&
        models.every((one) => one === null || !model.none.includes(one))),
    fits(row.state, textColumns.state),
    fits(row.provider, textColumns.provider),
    fits(row.route_mode, textColumns.route_mode),
    fits(row.error_code, textColumns.error_code),
    !status || ((status.any.length === 0 || status.any.some(within)) && !status.none.some(within)),
    row.latency_ms >= (numericColumns.latency_ms?.from ?? 0),
    (row.cost_nano_usd ?? 0) <= (numericColumns.cost_nano_usd?.to ?? Number.POSITIVE_INFINITY),
    ...Object.entries(metadata).map(([name, choice]) =>
      fits(members[name] === undefined ? null : String(members[name]), choice),
    ),
    row.created_at >= (query.from ?? 0) && row.created_at < (query.to ?? Number.POSITIVE_INFINITY),
  ].every(Boolean);
}

/**
 * Tests of the exchange list for every database engine, with all filters and the counts per
 * dimension.
 */
export function exchangeListSuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWithRows = async (t: TestContext, pick: Pick) => {
    const database = await open(t);
    await database.transaction((writer) =>
      insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1, metadata_keys_json: '["env"]' }),
    );
    const rows = Array.from({ length: ROWS }, (_, n) => anyRow(n, pick));
    await ingestRows(t, database, rows);
    return { database, rows };
  };

  test(`${engine}: pages with any filter contain each matching row once, in order, while rows are inserted`, async (t) => {
    const pick = picker(randomFrom(7));
    const { database, rows } = await openWithRows(t, pick);
    for (let run = 0; run < RUNS; run++) {
      const query = anyQuery(pick);
      const seen: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await getExchangePage(
          database.read,
          { ...query, ...(cursor && { cursor }) },
          MAX_SCANNED_ROWS,
        );
        seen.push(...page.rows.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
        if (pages === 1) {
          const late = anyRow(10_000 + run, pick);
          rows.push(late);
          await ingestRows(t, database, [late]);
        }
        pages += 1;
        assert.ok(pages < 2 * ROWS, 'the pages end');
      } while (cursor !== undefined);
      const known = rows.filter(({ id }) => id < 'exc_1').filter((row) => passes(row, query));
      const expected = known
        .sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id);
      const text = `run ${run}: ${JSON.stringify(query)}`;
      assert.deepEqual(
        seen.filter((id) => id < 'exc_1'),
        expected,
        text,
      );
      assert.equal(new Set(seen).size, seen.length, text);
    }
  });

  test(`${engine}: the rollups of every dimension are the sums of its rows, with and without filters`, async (t) => {
    const pick = picker(randomFrom(8));
    const { database, rows } = await openWithRows(t, pick);
    const range = { orgId: TEST_ORG_ID, from: T0, to: T0 + 60 * MINUTE_MS, unit: 'hour' } as const;
    const wanted = {
      ...range,
      figures: ['requests', 'cost_nano_usd'],
      order: 'requests',
      limit: 50,
    } as const;
    const cost = (some: readonly ExchangeRow[]) =>
      some.reduce((sum, row) => sum + (row.cost_nano_usd ?? 0), 0);
    for (const facet of [...PAIRED_DIMENSIONS, ...UNPAIRED_DIMENSIONS]) {
      const counted = new Map(
        (await listTopRollupValues(database.read, { ...wanted, groupBy: facet })).map(({ value, sums }) => [
          value,
          sums,
        ]),
      );
      const expected = Map.groupBy(rows, (row) => dimensionOf(row, facet));
      assert.equal(counted.size, expected.size, facet);
      for (const [value, some] of expected)
        assert.deepEqual(counted.get(value), [some.length, cost(some)], `${facet} ${value}`);
      const [one = '', ...rest] = [...expected.keys()];
      const filters: readonly RollupFacetFilter[] = [
        { facet, any: [one], none: [] },
        { facet, any: [one, ...rest.slice(0, 1)], none: [] },
        { facet, any: [], none: [one] },
      ];
      for (const filter of filters) {
        const total = await getRollupTotals(database.read, {
          ...range,
          filter,
          figures: ROLLUP_SUM_COLUMNS.slice(0, 1),
        });
        const fitting = rows.filter((row) => {
          const value = dimensionOf(row, facet);
          return filter.any.length > 0
            ? filter.any.includes(value)
            : !filter.none.some((none) => none === value);
        });
        assert.deepEqual(total, [fitting.length], JSON.stringify(filter));
      }
    }
  });
}

function dimensionOf(row: ExchangeRow, facet: RollupFacet): string {
  if (facet === 'status_class') return `${Math.floor(row.status / 100)}xx`;
  const asked = row.state === 'blocked' ? row.model_requested : null;
  const columns: Partial<Record<string, string | null>> = {
    key: row.key_id,
    provider: row.provider,
    model: row.model === null ? asked : `${row.provider}/${row.model}`,
    outcome: classifyExchangeOutcome(row),
    surface: row.surface,
    model_requested: row.model_requested,
    route_mode: row.route_mode,
    state: row.state,
    error_code: row.error_code,
    cache: row.cache,
    team: row.team,
    owner: row.owner,
  };
  return columns[facet] ?? '';
}
