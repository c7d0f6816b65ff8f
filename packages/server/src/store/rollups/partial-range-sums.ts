import { ERROR_OUTCOMES } from '@floe/contract/exchange-outcome';
import { type RawBuilder, sql } from 'kysely';
import { joinLiterals, OUTCOME_SQL } from '../exchange-filters.ts';
import { buildMetadataValueSql } from '../metadata-value-sql.ts';
import type { DatabaseReader } from '../store-interfaces.ts';
import { getHistogramBucketUpperBoundMs, HISTOGRAM_BUCKET_INDEXES } from './histogram-buckets.ts';
import type { PartialRangeRequest, PartialRangeSums } from './partial-range.ts';
import {
  type PartialRangePiece,
  splitPartialRangesAtMinutes,
  sumRollupRows,
} from './partial-range-minutes.ts';
import { buildValueFilterCondition, type RollupFacet } from './read-rollups.ts';
import { NO_ATTEMPTS_JSON } from './rollup-accumulator.ts';
import {
  FIRST_TOKEN_BUCKET_COLUMNS,
  LATENCY_BUCKET_COLUMNS,
  type RollupFigureColumn,
} from './rollup-figures.ts';
import { sumAsDouble } from './sum-as-double.ts';

/**
 * Sums the rows in each range by the values of `groupBy`, in the same way as rollups. Ranges without rows are
 * omitted. The result may have two elements with the same range and values. The caller must add them up.
 */
export async function sumPartialRanges(
  reader: DatabaseReader,
  request: PartialRangeRequest,
): Promise<PartialRangeSums[]> {
  const { minutes, rest } = splitPartialRangesAtMinutes(request);
  const ofRows = await sumRows(reader, request, rest);
  return [...ofRows, ...(await sumRollupRows(reader, request, minutes))];
}

/** Maximum number of ranges per statement. With more, planning takes PostgreSQL as long as reading. */
const RANGES_PER_READ = 8;
const READS_AT_ONCE = 4;

/**
 * Sums the rows of each range. There is one select per range, so that PostgreSQL can plan with its bounds and
 * use the index of one partition. A join with a table of ranges may scan all rows (2 s for two ranges of 5
 * million rows, 14 s for 31).
 */
async function sumRows(
  reader: DatabaseReader,
  request: PartialRangeRequest,
  pieces: readonly PartialRangePiece[],
): Promise<PartialRangeSums[]> {
  const some = Array.from({ length: Math.ceil(pieces.length / RANGES_PER_READ) }, (_, at) =>
    pieces.slice(at * RANGES_PER_READ, (at + 1) * RANGES_PER_READ),
  );
  const found: ReadonlyMap<string, unknown>[] = [];
  for (let at = 0; at < some.length; at += READS_AT_ONCE)
    for (const rows of await Promise.all(
      some.slice(at, at + READS_AT_ONCE).map((few) => sumRangeBatch(reader, request, few)),
    ))
      found.push(...rows);
  return mergeRangeSums(found, request);
}

async function sumRangeBatch(
  reader: DatabaseReader,
  request: PartialRangeRequest,
  pieces: readonly PartialRangePiece[],
) {
  const [first, ...others] = pieces.map((piece) => selectRangeSums(reader, request, piece));
  const all = others.reduce((before, each) => before?.unionAll(each), first);
  const rows = (await all?.execute()) ?? [];
  return rows.map((row) => new Map<string, unknown>(Object.entries(row)));
}

function selectRangeSums(
  reader: DatabaseReader,
  { orgId, filter, conditions = [], groupBy, figures }: PartialRangeRequest,
  { index, from, to }: PartialRangePiece,
) {
  let rows = reader
    .selectFrom('exchanges')
    .where('org_id', '=', orgId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to);
  for (const condition of conditions) rows = rows.where(condition);
  if (filter)
    rows = rows.where(buildValueFilterCondition(facetValue(reader, filter.facet), filter.any, filter.none));
  // Requests without a value of a metadata key do not count for it.
  if (filter && isMetadata(filter.facet))
    rows = rows.where(sql<boolean>`${facetValue(reader, filter.facet)} <> ''`);
  const groups = [
    ...groupBy.map((facet, place) => ({ name: `value_${place}`, value: facetValue(reader, facet) })),
    ...histogramsIn(figures).map((name) => ({ name, value: bucketColumn(name) })),
  ];
  const summed = figures.filter((name) => !isBucketColumn(name));
  return rows
    .select([
      sql<number>`cast(${index} as integer)`.as('piece'),
      sql<number>`count(*)`.as('counted'),
      ...groups.map(({ name, value }) => value.as(name)),
      ...summed.map((name) => figureExpression(name).as(name)),
    ])
    .groupBy(['piece', ...groups.map(({ name }) => sql.ref(name))]);
}

/** Adds up rows with the same range and values. They differ in their histogram bucket. */
function mergeRangeSums(
  rows: readonly ReadonlyMap<string, unknown>[],
  { groupBy, figures }: PartialRangeRequest,
): PartialRangeSums[] {
  const places = new Map<string, number>(figures.map((name, place) => [name, place]));
  const histograms = histogramsIn(figures);
  const found = new Map<string, PartialRangeSums & { readonly sums: number[] }>();
  for (const row of rows) {
    const piece = Number(row.get('piece'));
    const values = groupBy.map((_, at) => String(row.get(`value_${at}`) ?? ''));
    const name = [piece, ...values].join('\u0000');
    const { sums } = found.get(name) ?? { sums: figures.map(() => 0) };
    found.set(name, { rangeIndex: piece, values, sums });
    const add = (place: number | undefined, more: unknown) => {
      if (place !== undefined) sums[place] = (sums[place] ?? 0) + Number(more ?? 0);
    };
    for (const figure of figures) if (!isBucketColumn(figure)) add(places.get(figure), row.get(figure));
    for (const histogram of histograms)
      add(places.get(`${histogram}_${Number(row.get(histogram))}`), row.get('counted'));
  }
  return [...found.values()];
}

const HISTOGRAMS = ['latency', 'first_token'] as const;
const BUCKET_COLUMNS: ReadonlySet<string> = new Set([
  ...LATENCY_BUCKET_COLUMNS,
  ...FIRST_TOKEN_BUCKET_COLUMNS,
]);

function isBucketColumn(name: RollupFigureColumn): boolean {
  return BUCKET_COLUMNS.has(name);
}

function histogramsIn(figures: readonly RollupFigureColumn[]) {
  return HISTOGRAMS.filter((histogram) =>
    figures.some((name) => isBucketColumn(name) && name.startsWith(`${histogram}_`)),
  );
}

/** Returns the SQL for a row's value in a facet, as in `RollupAccumulator`. */
function facetValue(reader: DatabaseReader, facet: RollupFacet): RawBuilder<string> {
  if (facet === 'key') return sql`key_id`;
  if (facet === 'outcome') return OUTCOME_SQL;
  // As in `getCountedModel`.
  if (facet === 'model')
    return sql`case when coalesce(model, '') = '' and state = 'blocked' then coalesce(model_requested, '') when coalesce(model, '') = '' or coalesce(provider, '') = '' then coalesce(model, '') else provider || '/' || model end`;
  if (facet === 'status_class') return sql`cast(status / 100 as text) || 'xx'`;
  if (!isMetadata(facet)) return sql`coalesce(${sql.ref(facet)}, '')`;
  return sql`coalesce(${buildMetadataValueSql(reader, facet.slice(METADATA_PREFIX.length))}, '')`;
}

const METADATA_PREFIX = 'metadata.';

function isMetadata(facet: RollupFacet): facet is `metadata.${string}` {
  return facet.startsWith(METADATA_PREFIX);
}

/** Returns the SQL for the sum of a column, as `RollupAccumulator` counts it. */
function figureExpression(name: RollupFigureColumn): RawBuilder<number> {
  return sumAsDouble(countedExpression(name));
}

function countedExpression(name: RollupFigureColumn): RawBuilder<unknown> {
  if (name === 'requests') return sql`1`;
  if (name === 'errors') return sql`case when ${reachedUpstreamSql} and ${isErrorSql()} then 1 else 0 end`;
  if (name === 'latency_ms')
    return sql`case when ${reachedUpstreamSql} then coalesce(latency_ms, 0) else 0 end`;
  return sql`coalesce(${sql.ref(name)}, 0)`;
}

/** The SQL condition that a provider was called. */
const reachedUpstreamSql = sql`attempts_json <> ${sql.lit(NO_ATTEMPTS_JSON)}`;

function isErrorSql(): RawBuilder<boolean> {
  return sql<boolean>`${OUTCOME_SQL} in (${joinLiterals(ERROR_OUTCOMES)})`;
}

/**
 * Returns the SQL for the histogram bucket of a row: -1 if no provider was called or there was no first
 * token.
 */
function bucketColumn(histogram: (typeof HISTOGRAMS)[number]): RawBuilder<string> {
  const duration = histogram === 'latency' ? sql`coalesce(latency_ms, 0)` : sql`first_token_ms`;
  const cases = HISTOGRAM_BUCKET_INDEXES.flatMap((bucket) => {
    const most = getHistogramBucketUpperBoundMs(bucket);
    return most === null ? [] : [sql`when ${duration} <= ${sql.lit(most)} then ${sql.lit(bucket)}`];
  });
  const last = sql.lit(HISTOGRAM_BUCKET_INDEXES.at(-1) ?? 0);
  return sql`case when ${duration} is null or not (${reachedUpstreamSql}) then -1 ${sql.join(cases, sql` `)} else ${last} end`;
}
