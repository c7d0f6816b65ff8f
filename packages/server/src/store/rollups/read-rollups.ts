import { type RawBuilder, sql } from 'kysely';
import type { UtcOffsetSpan } from '../../core/time-zone-calendar.ts';
import type { DatabaseReader } from '../store-interfaces.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  PAIRED_DIMENSIONS,
  type PairedDimension,
  resolvePairFacet,
  type UnpairedDimension,
} from './rollup-accumulator.ts';
import type { RollupFigureColumn, RollupSumColumn } from './rollup-figures.ts';
import { sumAsDouble } from './sum-as-double.ts';

/**
 * What a chart can be grouped or filtered by: a dimension, or a metadata key that the organization has
 * declared.
 */
export type RollupFacet = PairedDimension | UnpairedDimension | `metadata.${string}`;

/**
 * Selects requests by a facet value: the value must be in `any` (if it is not empty) and not in
 * `none`. '' stands for requests without a value.
 */
export interface RollupFacetFilter {
  readonly facet: RollupFacet;
  readonly any: readonly string[];
  readonly none: readonly string[];
}

/** A request for sums from the rollup tables. */
export interface RollupRequest {
  readonly orgId: string;
  /** Start of the time range, inclusive, in Unix milliseconds. Must be the start of a unit. */
  readonly from: number;
  /** End of the time range, exclusive, in Unix milliseconds. Must be the start of a unit. */
  readonly to: number;
  readonly unit: 'minute' | 'hour';
  /**
   * The time since which minutes are stored, in Unix milliseconds. Parts of hours are read from minutes. If
   * it is absent, they are read from rows.
   */
  readonly minutesSince?: number | undefined;
  readonly filter?: RollupFacetFilter | undefined;
}

interface Grouping {
  readonly groupBy: RollupFacet;
}

/** The figures to add up. `sums` in results have the same order. Pairs of dimensions have no histograms. */
interface FigureSelection {
  readonly figures: readonly RollupFigureColumn[];
}

/** Chart intervals that follow the local time of a time zone. */
export interface RollupIntervalSettings {
  readonly stepMs: number;
  /** Offsets of the time zone from UTC, one per span of time (`listUtcOffsetSpans`). UTC if it is absent. */
  readonly offsets?: readonly UtcOffsetSpan[] | undefined;
}

/** The sums for one interval of a chart. */
export interface RollupIntervalSums {
  /** Start of the interval in local milliseconds. In UTC, these are Unix milliseconds. */
  readonly at: number;
  readonly sums: readonly number[];
}

/** Returns whether hourly rollups exist for this pair of facets. */
export function hasRollupPair(one: RollupFacet, other: RollupFacet): boolean {
  return one !== other && isPairedDimension(one) && isPairedDimension(other);
}

/** Returns the sums over the whole time range, in the order of `figures`. */
export async function getRollupTotals(
  reader: DatabaseReader,
  request: RollupRequest & FigureSelection,
): Promise<number[]> {
  const { figures } = request;
  const [total] = await selectFilteredRows(reader, request).select(sumExpressions(figures)).execute();
  return toSums(total, figures);
}

/**
 * Returns the sums per interval of `stepMs` milliseconds, in order. Intervals without requests are
 * omitted.
 */
export async function listRollupIntervalSums(
  reader: DatabaseReader,
  request: RollupRequest & FigureSelection & RollupIntervalSettings,
): Promise<RollupIntervalSums[]> {
  const { figures } = request;
  const rows = await selectFilteredRows(reader, request)
    .select([stepExpression(request).as('step'), ...sumExpressions(figures)])
    .groupBy('step')
    .orderBy('step')
    .execute();
  return rows.map((row) => ({ at: row.step, sums: toSums(row, figures) }));
}

/** Returns the values of `groupBy` that have the largest sum of `order`, largest first, with their sums. */
export async function listTopRollupValues(
  reader: DatabaseReader,
  request: RollupRequest &
    Grouping &
    FigureSelection & {
      readonly order: RollupSumColumn;
      readonly limit: number;
      /** Only these values. */
      readonly onlyValues?: readonly string[] | undefined;
      /** Only values with this prefix (ASCII case-insensitive). */
      readonly prefix?: string | undefined;
    },
): Promise<{ readonly value: string; readonly sums: readonly number[] }[]> {
  const { figures, order, limit, onlyValues, prefix, groupBy } = request;
  const largest = sumAsDouble(sql.ref(order));
  const { rows: all, column } = selectGroupedRows(reader, request);
  let rows = all;
  const isRanked = figures.length === 0 || (onlyValues !== undefined && onlyValues.length <= limit);
  if (onlyValues?.length === 0) return [];
  if (onlyValues) rows = rows.where(column, 'in', onlyValues);
  if (prefix) {
    const begins = (at: string) =>
      sql<boolean>`lower(${column}) like lower(${`${at}${escapeLiteral(prefix)}%`}) escape '!'`;
    // The prefix may also match the model name after the provider.
    rows = rows.where(groupBy === 'model' ? sql<boolean>`(${begins('')} or ${begins('%/')})` : begins(''));
  }
  // Ranks by one sum first, so that the other sums are calculated only for the result.
  const ranked = rows
    .select(column.as('group'))
    .groupBy('group')
    .orderBy(largest, 'desc')
    .orderBy('group')
    .limit(limit);
  const found = await (isRanked ? rows : rows.where(column, 'in', ranked))
    .select([column.as('group'), ...sumExpressions(figures)])
    .groupBy('group')
    .orderBy(largest, 'desc')
    .orderBy('group')
    .limit(limit)
    .execute();
  return found.map((row) => ({ value: row.group, sums: toSums(row, figures) }));
}

/**
 * Returns the sums per interval for each of the `values` of `groupBy`, unsorted. Intervals without
 * requests are omitted.
 */
export async function listRollupIntervalSumsByValue(
  reader: DatabaseReader,
  request: RollupRequest &
    Grouping &
    FigureSelection &
    RollupIntervalSettings & { readonly values: readonly string[] },
): Promise<(RollupIntervalSums & { readonly value: string })[]> {
  const { figures, values, stepMs, unit, filter, groupBy } = request;
  const { rows, column } = selectGroupedRows(reader, request);
  const wanted = rows.where(column, 'in', values);
  const group = column.as('group');
  // No grouping is necessary if the step is the unit of the table, because there is one row per value and
  // hour.
  const isOneRow =
    !filter || filter.facet === groupBy || (filter.any.length === 1 && filter.none.length === 0);
  const asStored = stepMs === HOUR_MS && unit === 'hour' && isOneRow;
  const found = await (asStored
    ? wanted.select([sql.ref<number>('at').as('step'), group, ...columnExpressions(figures)])
    : wanted
        .select([stepExpression(request).as('step'), group, ...sumExpressions(figures)])
        .groupBy(['step', 'group'])
  ).execute();
  return found.map((row) => ({ at: row.step, value: row.group, sums: toSums(row, figures) }));
}

export function isPairedDimension(facet: string): facet is PairedDimension {
  return PAIRED_DIMENSIONS.some((dimension) => dimension === facet);
}

type RollupTableName = 'rollup_minutes' | 'rollup_hours' | 'rollup_pairs';

function facetRows(
  reader: DatabaseReader,
  { orgId, from, to }: RollupRequest,
  table: RollupTableName,
  facet: string,
) {
  return reader
    .selectFrom(table)
    .where('org_id', '=', orgId)
    .where('facet', '=', facet)
    .where('at', '>=', from)
    .where('at', '<', to);
}

function tableOf({ unit }: RollupRequest): RollupTableName {
  return unit === 'minute' ? 'rollup_minutes' : 'rollup_hours';
}

function selectFilteredRows(reader: DatabaseReader, request: RollupRequest) {
  const { facet, any, none } = request.filter ?? { facet: 'all', any: [''], none: [] };
  const rows = facetRows(reader, request, tableOf(request), facet);
  return rows.where(buildValueFilterCondition(sql.ref('value'), any, none));
}

/**
 * Returns an SQL condition that requires a value in `any` (if it is not empty) and not in `none`.
 */
export function buildValueFilterCondition(
  column: RawBuilder<string>,
  any: readonly string[],
  none: readonly string[],
) {
  const conditions = [sql<boolean>`true`];
  // An equation for one value, so that the index continues in the order of time.
  if (any.length === 1) conditions.push(sql`${column} = ${any[0]}`);
  else if (any.length > 1) conditions.push(sql`${column} in (${sql.join(any)})`);
  if (none.length > 0) conditions.push(sql`${column} not in (${sql.join(none)})`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

function escapeLiteral(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/** Returns the rows of the facet that contains `groupBy`, and the column with its values. */
function selectGroupedRows(reader: DatabaseReader, request: RollupRequest & Grouping) {
  const { filter, groupBy } = request;
  const value = sql.ref<string>('value');
  if (!filter || filter.facet === groupBy) {
    const rows = facetRows(reader, request, tableOf(request), groupBy);
    return {
      rows: filter ? rows.where(buildValueFilterCondition(value, filter.any, filter.none)) : rows,
      column: value,
    };
  }
  if (!isPairedDimension(groupBy) || !isPairedDimension(filter.facet))
    throw new Error(`no rollup can group by ${groupBy} and filter by ${filter.facet}`);
  const { facet, first } = resolvePairFacet(groupBy, filter.facet);
  const rows = facetRows(reader, request, 'rollup_pairs', facet);
  const byValue = sql.ref<string>('by_value');
  return first === groupBy
    ? { rows: rows.where(buildValueFilterCondition(byValue, filter.any, filter.none)), column: value }
    : { rows: rows.where(buildValueFilterCondition(value, filter.any, filter.none)), column: byValue };
}

/**
 * Returns the SQL for the interval of a row. A unit belongs to the interval that contains its middle.
 * `findIntervalReassignments` depends on it.
 */
function stepExpression({
  stepMs,
  offsets = [],
  unit,
}: RollupIntervalSettings & Pick<RollupRequest, 'unit'>) {
  if (offsets.length === 0) return sql<number>`at - at % ${bigintLiteral(stepMs)}`;
  const middle = (unit === 'minute' ? MINUTE_MS : HOUR_MS) / 2;
  const shown = offsets.reduceRight<RawBuilder<unknown> | null>((later, { until, offsetMs }) => {
    const ahead = sql`(at + ${bigintLiteral(offsetMs + middle)})`;
    return later ? sql`case when at < ${bigintLiteral(until)} then ${ahead} else ${later} end` : ahead;
  }, null);
  return sql<number>`${shown} - ${shown} % ${bigintLiteral(stepMs)}`;
}

function bigintLiteral(value: number) {
  return sql`cast(${value} as bigint)`;
}

function sumExpressions(figures: readonly RollupFigureColumn[]) {
  return figures.map((name) => sumAsDouble(sql.ref(name)).as(name));
}

// As doubles, because SQLite rows with an integer above 2^53 are read twice (sqlite-connection.ts).
function columnExpressions(figures: readonly RollupFigureColumn[]) {
  return figures.map((name) => sql<number>`cast(${sql.ref(name)} as double precision)`.as(name));
}

/** Converts a row to sums. A sum without rows is null in SQL and 0 in the result. */
function toSums(
  row: Partial<Record<RollupFigureColumn, number | null>> | undefined,
  figures: readonly RollupFigureColumn[],
): number[] {
  return figures.map((name) => row?.[name] ?? 0);
}
