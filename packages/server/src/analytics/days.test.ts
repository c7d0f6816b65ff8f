// Tier: ci. Random days and zones over both databases.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { classifyExchangeOutcome } from '@floe/contract/exchange-outcome';
import fc from 'fast-check';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { getTimeZoneCalendar } from '../core/time-zone-calendar.ts';
import { openDatabase } from '../store/open-database.ts';
import { insertOrg } from '../store/orgs.ts';
import {
  estimatePercentileMs,
  getHistogramBucketIndex,
  HISTOGRAM_BUCKET_INDEXES,
} from '../store/rollups/histogram-buckets.ts';
import type { PartialRangeSums } from '../store/rollups/partial-range.ts';
import { sumPartialRanges } from '../store/rollups/partial-range-sums.ts';
import { mergeMinutesIntoQuarterHours } from '../store/rollups/quarter-hours.ts';
import type { RollupFacet, RollupFacetFilter } from '../store/rollups/read-rollups.ts';
import { ROLLUP_FIGURE_COLUMNS, ROLLUP_SUM_COLUMNS } from '../store/rollups/rollup-figures.ts';
import type { Database, ExchangeRow } from '../store/store-interfaces.ts';
import { ingestRows } from '../store/test/ingest-rows.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { createTestExchangeRow, TEST_ORG_ID } from '../store/test/rows.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { computePreviousRange } from './chart-grid.ts';
import { buildChartRequestGrid, queryChartSeries, queryChartSummary, queryTopValues } from './charts.ts';
import { queryUsageByKeyAndModel } from './monthly-usage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Around the days on which Europe, America and Lord Howe change their clocks. */
const FIRST = Date.UTC(2026, 9, 1);
const SPAN_MS = 40 * DAY_MS;
const RUNS = process.env['FLOE_TEST_FULL'] ? 300 : 25;

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Chatham',
  'Africa/Cairo',
  'Pacific/Apia',
];

/** Rows that stand thick around the beginnings of days, where counting goes wrong. */
function someRows(): ExchangeRow[] {
  const random = fc.sample(
    fc.record({
      at: fc.oneof(
        fc.integer({ min: 0, max: SPAN_MS - 1 }),
        fc
          .tuple(fc.constantFrom(...ZONES), fc.integer({ min: 1, max: 38 }), fc.integer({ min: -2, max: 2 }))
          .map(([zone, day, off]) => getTimeZoneCalendar(zone).startOfDay(2026, 9, 1 + day) - FIRST + off),
      ),
      key_id: fc.constantFrom('key_a', 'key_b', 'key_c'),
      provider: fc.constantFrom('acme', 'other'),
      model: fc.constantFrom('large', 'small', null),
      team: fc.constantFrom('sre', null),
      project: fc.constantFrom('blue', 'red', null),
      status: fc.constantFrom(200, 200, 429, 503),
      cost: fc.constantFrom(null, 1, 999_999_999, 123_456),
      latency: fc.integer({ min: 0, max: 400_000 }),
    }),
    { numRuns: 400, seed: 7 },
  );
  return random.map(({ at, project, cost, latency, ...columns }, n) =>
    createTestExchangeRow(`exc_${n}`, {
      ...columns,
      created_at: FIRST + at,
      cost_nano_usd: cost,
      latency_ms: latency,
      metadata_json: project === null ? null : JSON.stringify({ project }),
    }),
  );
}

const rows = someRows();

/** Until here minutes are merged into quarters of an hour, in the databases in which they are. */
const MERGED = FIRST + 25 * DAY_MS;

async function withRows(t: TestContext, database: Database): Promise<Database> {
  t.after(() => database.close());
  await database.transaction((writer) =>
    insertOrg(writer, { id: TEST_ORG_ID, name: 'One', created_at: 1, metadata_keys_json: '["project"]' }),
  );
  await ingestRows(t, database, rows);
  return database;
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

const moment = fc.oneof(
  fc.integer({ min: FIRST, max: FIRST + SPAN_MS }),
  fc.integer({ min: 0, max: 40 * 24 }).map((hour) => FIRST + hour * HOUR_MS),
  fc
    .tuple(fc.constantFrom(...ZONES), fc.integer({ min: 0, max: 39 }))
    .map(([zone, day]) => getTimeZoneCalendar(zone).startOfDay(2026, 9, 1 + day)),
);

const asked = fc.record({
  zone: fc.constantFrom(...ZONES),
  one: moment,
  other: moment,
  since: fc.option(fc.oneof(fc.constant(FIRST), moment), { nil: undefined }),
  groupBy: fc.constantFrom<RollupFacet | undefined>(
    undefined,
    'key',
    'model',
    'outcome',
    'team',
    'status_class',
    'metadata.project',
  ),
  filter: fc.constantFrom<RollupFacetFilter | undefined>(
    undefined,
    { facet: 'key', any: ['key_a'], none: [] },
    { facet: 'key', any: [], none: ['key_a'] },
  ),
});

/** What a row is called in a facet; undefined for what is no part of it. */
function valueIn(row: ExchangeRow, facet: RollupFacet): string | undefined {
  if (facet === 'key') return row.key_id;
  if (facet === 'model') return row.model === null ? '' : `${row.provider}/${row.model}`;
  if (facet === 'outcome') return classifyExchangeOutcome(row);
  if (facet === 'team') return row.team ?? '';
  if (facet === 'status_class') return `${Math.floor(row.status / 100)}xx`;
  return row.metadata_json === null ? undefined : JSON.parse(row.metadata_json).project;
}

const costOf = (some: readonly ExchangeRow[]) => some.reduce((sum, row) => sum + (row.cost_nano_usd ?? 0), 0);

for (const [engine, open] of ENGINES)
  for (const merged of [false, true])
    test(`${engine}, ${merged ? 'quarters' : 'minutes'}: the days of any time zone have the sums of their rows, and together the sum of the range`, async (t) => {
      const database = await withRows(t, await open(t));
      const { read } = database;
      if (merged) await mergeMinutesIntoQuarterHours(database, TEST_ORG_ID, MERGED);
      await fc.assert(
        fc.asyncProperty(asked, async ({ zone, one, other, since, groupBy: wanted, filter }) => {
          const minutesSince = merged && since !== undefined ? Math.max(since, MERGED) : since;
          const [from, to] = [Math.min(one, other), Math.max(one, other) + 1];
          // The dimensions that are counted together with a key are pairs; the others stand alone.
          const groupBy =
            filter && wanted && !['key', 'model', 'status_class'].includes(wanted) ? undefined : wanted;
          const inRange = rows.filter(
            (row) =>
              row.created_at >= from &&
              row.created_at < to &&
              (!filter || (filter.any.length > 0 ? row.key_id === 'key_a' : row.key_id !== 'key_a')),
          );
          const request = { orgId: TEST_ORG_ID, from, to, unit: 'hour', minutesSince, filter } as const;
          const chart = { ...request, groupBy, limit: 9, stepMs: DAY_MS, timezone: zone };
          const sum = await queryChartSummary(read, request);
          assert.deepEqual([sum.requests, sum.cost_nano_usd], [inRange.length, costOf(inRange)]);
          const { starts } = buildChartRequestGrid(chart);
          const dayOf = (at: number) => starts.findLastIndex((start) => start <= at);
          const series = await queryChartSeries(read, { ...chart, metric: 'cost_nano_usd' });
          for (const [day] of starts.entries())
            assert.equal(
              series.reduce((total, { values }) => total + (values[day] ?? 0), 0),
              costOf(inRange.filter(({ created_at }) => dayOf(created_at) === day)),
              `${zone}, ${new Date(starts[day] ?? 0).toISOString()}`,
            );
          if (groupBy === undefined) return;
          for (const { value, other: isRest, values } of series)
            if (!isRest)
              for (const [day, cost] of values.entries()) {
                const own = inRange.filter((row) => dayOf(row.created_at) === day);
                assert.equal(cost, costOf(own.filter((row) => valueIn(row, groupBy) === value)));
              }
          const top = await queryTopValues(read, { ...request, groupBy, order: 'requests', limit: 9 });
          for (const { value, figures } of top)
            assert.equal(figures.requests, inRange.filter((row) => valueIn(row, groupBy) === value).length);
        }),
        { numRuns: RUNS },
      );
    });

for (const [engine, open] of ENGINES)
  test(`${engine}: parts of hours have the same sums from minutes as from rows, and few rows are read`, async (t) => {
    const database = await withRows(t, await open(t));
    const { read } = database;
    const pieces = rows
      .slice(0, 40)
      .map(({ created_at: at }) => ({ from: at - 1_800_001, to: at + 1_799_998 }));
    const questions = [
      { groupBy: [], figures: ROLLUP_FIGURE_COLUMNS },
      { groupBy: ['key'], figures: ROLLUP_SUM_COLUMNS },
      { groupBy: ['metadata.project'], figures: ROLLUP_FIGURE_COLUMNS },
      {
        groupBy: [],
        filter: { facet: 'model', any: ['acme/large', ''], none: [] },
        figures: ROLLUP_SUM_COLUMNS,
      },
      {
        groupBy: [],
        filter: { facet: 'metadata.project', any: [], none: ['red'] },
        figures: ROLLUP_SUM_COLUMNS,
      },
    ] as const;
    const ask = async (question: (typeof questions)[number], minutesSince?: number) =>
      inOne(await sumPartialRanges(read, { orgId: TEST_ORG_ID, ranges: pieces, ...question, minutesSince }));
    const ofRows = await Promise.all(questions.map((question) => ask(question)));
    for (const [at, question] of questions.entries())
      assert.deepEqual(await ask(question, FIRST - DAY_MS), ofRows[at], JSON.stringify(question.groupBy));
    await mergeMinutesIntoQuarterHours(database, TEST_ORG_ID, MERGED);
    for (const [at, question] of questions.entries())
      assert.deepEqual(await ask(question, MERGED), ofRows[at], JSON.stringify(question.groupBy));
    await database.transaction((writer) => writer.deleteFrom('exchanges').execute());
    const ofMinutes = await ask(questions[0], MERGED);
    assert.equal((await ask(questions[0])).size, 0);
    assert.ok(ofMinutes.size >= 38, 'but for rows that share the unit in which a piece begins or ends');
  });

/** What pieces hold, by place and values, where it is anything. */
function inOne(parts: readonly PartialRangeSums[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const { rangeIndex, values, sums } of parts) {
    const name = [rangeIndex, ...values].join(' ');
    const known = found.get(name);
    found.set(name, known ? known.map((sum, at) => sum + (sums[at] ?? 0)) : [...sums]);
  }
  return new Map([...found].filter(([, sums]) => sums.some((sum) => sum !== 0)).sort());
}

test('the percentiles of a day depend only on the rows of the day', async (t) => {
  const { read } = await withRows(t, await openDatabase('sqlite:', options(t)));
  const timezone = 'Asia/Kathmandu';
  const { startOfDay } = getTimeZoneCalendar(timezone);
  const [from, to] = [startOfDay(2026, 9, 5), startOfDay(2026, 9, 12)];
  const request = { orgId: TEST_ORG_ID, from, to, unit: 'hour', stepMs: DAY_MS, timezone, limit: 1 } as const;
  const [series] = await queryChartSeries(read, {
    ...request,
    minutesSince: FIRST,
    metric: 'latency_p95_ms',
  });
  const { starts } = buildChartRequestGrid(request);
  const expected = starts.map((start, day) => {
    const counts: number[] = HISTOGRAM_BUCKET_INDEXES.map(() => 0);
    for (const { created_at, latency_ms } of rows)
      if (created_at >= start && created_at < (starts[day + 1] ?? to))
        counts[getHistogramBucketIndex(latency_ms)] = (counts[getHistogramBucketIndex(latency_ms)] ?? 0) + 1;
    return estimatePercentileMs(counts, 0.95);
  });
  assert.deepEqual(series?.values, expected);
  assert.equal(expected.length, 7);
});

test('a month in any time zone has the sums of its own rows, by key and model', async (t) => {
  const { read } = await withRows(t, await openDatabase('sqlite:', options(t)));
  for (const timezone of ZONES) {
    const { startOfDay } = getTimeZoneCalendar(timezone);
    const [from, to] = [startOfDay(2026, 9, 1), startOfDay(2026, 10, 1)];
    const found = await queryUsageByKeyAndModel(read, { orgId: TEST_ORG_ID, from, to });
    const inMonth = rows.filter(({ created_at }) => created_at >= from && created_at < to);
    const groups = Map.groupBy(inMonth, (row) => `${row.key_id} ${valueIn(row, 'model')}`);
    assert.equal(found.length, groups.size, timezone);
    for (const { key, model, sums } of found)
      assert.equal(sums[0], groups.get(`${key} ${model}`)?.length, `${timezone} ${key} ${model}`);
  }
});

test('days have 23 or 25 hours at clock changes, and the previous week has as many', () => {
  const { startOfDay } = getTimeZoneCalendar('Europe/Berlin');
  const week = { from: startOfDay(2026, 9, 20), to: startOfDay(2026, 9, 27) };
  const { starts } = buildChartRequestGrid({ ...week, stepMs: DAY_MS, timezone: 'Europe/Berlin' });
  const lengths = [...starts, week.to].slice(1).map((start, day) => (start - (starts[day] ?? 0)) / HOUR_MS);
  assert.deepEqual(lengths, [24, 24, 24, 24, 24, 25, 24]);
  const after = { from: week.to, to: startOfDay(2026, 10, 3) };
  assert.deepEqual(computePreviousRange(after, 'Europe/Berlin'), week);
  const unaligned = { from: 1000, to: 4000 };
  assert.deepEqual(computePreviousRange(unaligned, 'Europe/Berlin'), { from: -2000, to: 1000 });
});
