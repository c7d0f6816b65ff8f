// Figures are those of their rows: latencies and errors of requests that reached an upstream, counts of all.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import type { ValueFilter } from '../store/exchange-filters.ts';
import { getExchangePage } from '../store/exchanges.ts';
import { openDatabase } from '../store/open-database.ts';
import { insertOrg } from '../store/orgs.ts';
import { estimatePercentileMs } from '../store/rollups/histogram-buckets.ts';
import type { Database, ExchangeRow } from '../store/store-interfaces.ts';
import { ingestRows } from '../store/test/ingest-rows.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { createTestExchangeRow, TEST_ORG_ID } from '../store/test/rows.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { queryChartSeries, queryChartSummary, queryTopValues } from './charts.ts';

const HOUR_MS = 3_600_000;
const FIRST = Date.UTC(2026, 9, 1);
const SPAN_MS = 6 * HOUR_MS;

const END = [
  { state: 'complete', statuses: [200] },
  { state: 'cached', statuses: [200] },
  { state: 'partial', statuses: [200] },
  { state: 'aborted', statuses: [499] },
  { state: 'blocked', statuses: [402, 403, 404, 429, 200] },
  { state: 'failed', statuses: [200, 400, 404, 408, 422, 429, 500, 502, 503, 504] },
];

const rows: ExchangeRow[] = fc
  .sample(
    fc.record({
      at: fc.integer({ min: 0, max: SPAN_MS - 1 }),
      end: fc.constantFrom(
        ...END.flatMap(({ state, statuses }) => statuses.map((status) => ({ state, status }))),
      ),
      error_code: fc.constantFrom(
        null,
        'invalid_request',
        'upstream_error',
        'upstream_timeout',
        'overloaded',
      ),
      attempts: fc.integer({ min: 0, max: 2 }),
      latency_ms: fc.constantFrom(1, 7, 90, 600, 4000),
      first_token_ms: fc.constantFrom(null, 3, 70),
      provider: fc.constantFrom('acme', 'other'),
      model: fc.constantFrom('large', 'small', null),
    }),
    { numRuns: 400, seed: 18 },
  )
  .map(({ at, end, attempts, ...columns }, n) =>
    createTestExchangeRow(`exc_${String(n).padStart(4, '0')}`, {
      created_at: FIRST + at,
      ...end,
      ...columns,
      attempts_json: JSON.stringify(Array.from({ length: attempts }, (_, at) => ({ n: at + 1 }))),
    }),
  );

/** A second implementation of outcomes, which the test compares with the first. */
function outcome({ state, status, error_code }: ExchangeRow): string {
  if (state === 'complete') return 'succeeded';
  if (state !== 'failed') return state;
  if (error_code === 'overloaded') return 'gateway_error';
  if (error_code === 'upstream_timeout') return 'upstream_error';
  return [400, 404, 408, 422].includes(status) ? 'client_error' : 'upstream_error';
}

const reachedOf = (some: readonly ExchangeRow[]) =>
  some.filter(({ attempts_json }) => attempts_json !== '[]');
const errorsOf = (some: readonly ExchangeRow[]) =>
  reachedOf(some).filter((row) =>
    ['client_error', 'upstream_error', 'gateway_error', 'partial'].includes(outcome(row)),
  ).length;

function percentileOf(values: readonly (number | null)[], share: number): number | null {
  const bounds = Array.from({ length: 17 }, (_, n) => 5 * 2 ** n);
  const counts = new Array<number>(18).fill(0);
  for (const value of values) {
    if (value === null) continue;
    const found = bounds.findIndex((bound) => value <= bound);
    const bucket = found === -1 ? 17 : found;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return estimatePercentileMs(counts, share);
}

const options = (t: TestContext) => ({
  dataDir: createTemporaryDirectory(t),
  log: silentLog,
  clock: systemClock,
});
const ENGINES: readonly [string, (t: TestContext) => Promise<Database>][] = [
  ['sqlite', (t) => openDatabase('sqlite:', options(t))],
  ['postgres', async (t) => openDatabase(await createTestDatabase(t), options(t))],
];

async function withRows(t: TestContext, database: Database): Promise<Database> {
  t.after(() => database.close());
  await database.transaction((writer) =>
    insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1, metadata_keys_json: null }),
  );
  await ingestRows(t, database, rows);
  return database;
}

/** A blocked request counts for the model that it asked for. */
function countedModelOf({ provider, model, model_requested, state }: (typeof rows)[number]): string {
  if (model !== null) return `${provider}/${model}`;
  return state === 'blocked' ? (model_requested ?? '') : '';
}

for (const [engine, open] of ENGINES)
  test(`${engine}: latencies and errors count only requests that reached a provider, for any range`, async (t) => {
    const { read } = await withRows(t, await open(t));
    for (const [from, to] of [
      [FIRST, FIRST + SPAN_MS],
      [FIRST + 1_234_567, FIRST + SPAN_MS - 2_345_678],
    ] as const) {
      const inRange = rows.filter(({ created_at: at }) => at >= from && at < to);
      const reached = reachedOf(inRange);
      const request = { orgId: TEST_ORG_ID, from, to, unit: 'hour', minutesSince: undefined } as const;
      const sum = await queryChartSummary(read, request);
      const mean = reached.reduce((ms, row) => ms + row.latency_ms, 0) / reached.length;
      assert.deepEqual(
        [sum.requests, sum.upstream_requests, sum.errors, sum.latency_ms.mean],
        [inRange.length, reached.length, errorsOf(inRange), Math.round(mean * 100) / 100],
      );
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
      ] as const) {
        const latencies = reached.map(({ latency_ms }) => latency_ms);
        const firstTokens = reached.map(({ first_token_ms }) => first_token_ms);
        assert.equal(sum.latency_ms[name], percentileOf(latencies, share), name);
        assert.equal(sum.first_token_ms[name], percentileOf(firstTokens, share), name);
      }
      for (const { value, figures } of await queryTopValues(read, {
        ...request,
        groupBy: 'model',
        order: 'requests',
        limit: 9,
      })) {
        const own = inRange.filter((row) => countedModelOf(row) === value);
        assert.deepEqual([figures.requests, figures.errors], [own.length, errorsOf(own)], value);
      }
      const [series] = await queryChartSeries(read, {
        ...request,
        metric: 'errors',
        stepMs: HOUR_MS,
        limit: 1,
      });
      const summed = series?.values.reduce<number>((total, value) => total + (value ?? 0), 0);
      assert.equal(summed, errorsOf(inRange));
    }
  });

for (const [engine, open] of ENGINES)
  test(`${engine}: a list filtered by outcome contains exactly the rows with this outcome`, async (t) => {
    const { read } = await withRows(t, await open(t));
    const names = [...new Set(rows.map(outcome))];
    assert.equal(names.length, 8);
    const choices: readonly ValueFilter[] = [
      ...names.map((name) => ({ any: [name], none: [] })),
      ...names.map((name) => ({ any: [], none: [name] })),
      { any: ['client_error', 'upstream_error', 'gateway_error', 'partial'], none: [] },
    ];
    for (const choice of choices) {
      const page = await getExchangePage(read, { orgId: TEST_ORG_ID, limit: 500, outcome: choice });
      const due = rows.filter((row) =>
        choice.any.length > 0 ? choice.any.includes(outcome(row)) : !choice.none.includes(outcome(row)),
      );
      assert.deepEqual(
        page.rows.map(({ id }) => id).sort(),
        due.map(({ id }) => id).sort(),
        JSON.stringify(choice),
      );
    }
  });
