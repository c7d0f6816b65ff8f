import { CHART_DIMENSIONS, STANDALONE_CHART_DIMENSIONS } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import type { SqlCondition } from '../store/exchange-filters.ts';
import { countExchangesUpTo, MATCH_ALL_CONDITION } from '../store/exchanges.ts';
import { MINUTE_ROLLUP_RETENTION_MS } from '../store/retention.ts';
import type { RollupFacet, RollupFacetFilter } from '../store/rollups/read-rollups.ts';
import { HOUR_MS } from '../store/rollups/rollup-accumulator.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import type { ChartRequest } from './charts.ts';

/** Maximum age of the minute rollups that charts use. Retention can delete older ones during the query. */
const RELIABLE_MINUTES_MS = MINUTE_ROLLUP_RETENTION_MS - HOUR_MS;
/**
 * Maximum length of a range that a chart reads from minute rollups. Their edges are more precise than those
 * of hour rollups.
 */
const MAX_MINUTE_RANGE_MS = 6 * HOUR_MS;
/**
 * Maximum number of rows that a chart reads if rollups do not support its filters. This took up to 1.1 s on a
 * busy machine (bench/results/rows.md).
 */
const MAX_ROWS = 100_000;
/** The same for rows that an index finds. They are in different places of the table, so that each takes longer. */
const MAX_INDEXED_ROWS = 30_000;

/** The time range of a chart. */
export interface ChartRange {
  readonly orgId: string;
  readonly from: number;
  readonly to: number;
  readonly nowMs: number;
  /** Whether the chart also shows the previous range of the same length. */
  readonly includesPrevious: boolean;
}

/** How a chart groups and filters requests. */
export interface ChartOptions {
  readonly groupBy?: string | undefined;
  readonly interval?: 'minute' | 'hour' | 'day' | undefined;
  /** The filter, if rollups support it; otherwise undefined. */
  readonly filter?: RollupFacetFilter | undefined;
  /** Whether the chart is computed from rows even if rollups would support it. */
  readonly readsRows?: boolean | undefined;
}

/**
 * Returns a chart's rollup query, including its unit (minute or hour).
 * @throws Fault `invalid_request` if the range is empty, or if minutes are requested but not
 * available
 */
export function buildChartRequest(
  { orgId, from, to, nowMs, includesPrevious }: ChartRange,
  { groupBy, interval, filter, readsRows = false }: ChartOptions,
): ChartRequest & { readonly groupBy: RollupFacet | undefined } {
  if (from >= to) throw new Fault('invalid_request', 'from: must be earlier than "to"', { param: 'from' });
  const group = groupBy === undefined ? undefined : requireRollupFacet(groupBy);
  const isPaired = group !== undefined && filter !== undefined && group !== filter.facet;
  const earliest = includesPrevious ? from - (to - from) : from;
  const isLone = [group, filter?.facet].some((facet) => facet !== undefined && isIndependentFacet(facet));
  const kept = earliest >= nowMs - MINUTE_ROLLUP_RETENTION_MS && !isPaired && !isLone;
  if (interval === 'minute' && !kept && !readsRows)
    throw new Fault(
      'invalid_request',
      `interval: "minute" is available only for the last 3 days (including the previous range if "compare" is set) and for at most one dimension, which must not be one of ${STANDALONE_CHART_DIMENSIONS.join(', ')}. Use interval=hour instead.`,
      { param: 'interval' },
    );
  const unit =
    interval === 'minute' || (interval === undefined && kept && to - from <= MAX_MINUTE_RANGE_MS)
      ? 'minute'
      : 'hour';
  return { orgId, from, to, unit, minutesSince: nowMs - RELIABLE_MINUTES_MS, filter, groupBy: group };
}

/** Returns whether rollups can be grouped by the facet with this name. */
export function isRollupFacet(name: string): name is RollupFacet {
  return (
    name.startsWith('metadata.') ||
    CHART_DIMENSIONS.some((dimension) => dimension === name) ||
    isIndependentFacet(name)
  );
}

function isIndependentFacet(name: string): boolean {
  return STANDALONE_CHART_DIMENSIONS.some((dimension) => dimension === name);
}

/**
 * Narrows a validated name to `RollupFacet`.
 * @throws Error if the name is not a facet, which means that the query schema is wrong
 */
export function requireRollupFacet(name: string): RollupFacet {
  if (!isRollupFacet(name)) throw new Error(`"${name}" is not a chart dimension or metadata.<key>`);
  return name;
}

/**
 * Returns the SQL condition that selects the rows of a chart that does not use rollups. Returns the condition
 * that an index supports, or `true` if the chart must read all rows of the range.
 * @throws Fault `invalid_request` if there are too many rows
 */
export async function chooseChartRowCondition(
  reader: DatabaseReader,
  { orgId, from, to }: Pick<ChartRange, 'orgId' | 'from' | 'to'>,
  {
    includesPrevious,
    indexed,
  }: Pick<ChartRange, 'includesPrevious'> & { readonly indexed: SqlCondition | null },
): Promise<SqlCondition> {
  const range = { orgId, from: includesPrevious ? from - (to - from) : from, to };
  const limits = [
    ...(indexed === null ? [] : [{ condition: indexed, maximum: MAX_INDEXED_ROWS }]),
    { condition: MATCH_ALL_CONDITION, maximum: MAX_ROWS },
  ];
  for (const { condition, maximum } of limits)
    if ((await countExchangesUpTo(reader, { ...range, indexed: condition }, maximum + 1)) <= maximum)
      return condition;
  throw new Fault(
    'invalid_request',
    `from: Floe has no precomputed totals for this combination of filters, so it can read at most ${MAX_ROWS.toLocaleString('en-US')} requests, and the range contains more. Choose a shorter range, or use only one filter, which must be one of ${CHART_DIMENSIONS.filter((name) => name !== 'model').join(', ')}.`,
    { param: 'from' },
  );
}
