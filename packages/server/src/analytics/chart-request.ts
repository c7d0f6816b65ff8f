import { CHART_DIMENSIONS, INDEPENDENT_DIMENSIONS } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import type { DatabaseReader } from '../store/ports.ts';
import { MINUTE_ROLLUP_RETENTION_MS } from '../store/retention.ts';
import { getRollupTotal, type RollupFacet, type RollupFacetFilter } from '../store/rollups/read-rollups.ts';
import { HOUR_MS } from '../store/rollups/rollup-accumulator.ts';
import type { ChartRequest } from './charts.ts';

/** Minutes near their end may go while they are read. */
const RELIABLE_MINUTES_MS = MINUTE_ROLLUP_RETENTION_MS - HOUR_MS;
/** Ranges up to this long are counted in minutes where these are kept, so that their ends are sharp. */
const MAX_MINUTE_RANGE_MS = 6 * HOUR_MS;
/** Rows that are looked at for figures which no rollup holds; SQLite reads so many in about a second. */
const MAX_ROWS = 500_000;

/** The time that a chart is about. */
export interface ChartRange {
  readonly orgId: string;
  readonly from: number;
  readonly to: number;
  readonly nowMs: number;
  /** With the range of the same length before it. */
  readonly includesPrevious: boolean;
}

export interface ChartOptions {
  readonly groupBy?: string | undefined;
  readonly interval?: 'minute' | 'hour' | 'day' | undefined;
  /** The one filter that rollups are asked for. */
  readonly filter?: RollupFacetFilter | undefined;
  /** Rows are counted, whatever rollups hold. */
  readonly readsRows?: boolean | undefined;
}

/**
 * What a chart asks the rollups for, and the unit that it is counted in.
 *
 * @throws Fault `invalid_request` for an empty range, and for minutes that are not kept
 */
export function buildChartRequest(
  { orgId, from, to, nowMs, includesPrevious }: ChartRange,
  { groupBy, interval, filter, readsRows = false }: ChartOptions,
): ChartRequest & { readonly groupBy: RollupFacet | undefined } {
  if (from >= to) throw new Fault('invalid_request', 'from: must be before to', { param: 'from' });
  const group = groupBy === undefined ? undefined : parseRollupFacet(groupBy);
  const isPaired = group !== undefined && filter !== undefined && group !== filter.facet;
  const earliest = includesPrevious ? from - (to - from) : from;
  const isLone = [group, filter?.facet].some((facet) => facet !== undefined && isIndependentFacet(facet));
  const kept = earliest >= nowMs - MINUTE_ROLLUP_RETENTION_MS && !isPaired && !isLone;
  if (interval === 'minute' && !kept && !readsRows)
    throw new Fault(
      'invalid_request',
      `interval: minutes are kept for 3 days, for one dimension at a time, and not for ${INDEPENDENT_DIMENSIONS.join(', ')}`,
      { param: 'interval' },
    );
  const unit =
    interval === 'minute' || (interval === undefined && kept && to - from <= MAX_MINUTE_RANGE_MS)
      ? 'minute'
      : 'hour';
  return { orgId, from, to, unit, minutesSince: nowMs - RELIABLE_MINUTES_MS, filter, groupBy: group };
}

export function isRollupFacet(name: string): name is RollupFacet {
  return (
    name.startsWith('metadata.') ||
    CHART_DIMENSIONS.some((dimension) => dimension === name) ||
    isIndependentFacet(name)
  );
}

function isIndependentFacet(name: string): boolean {
  return INDEPENDENT_DIMENSIONS.some((dimension) => dimension === name);
}

/** The schema of the query let only facets pass. */
export function parseRollupFacet(name: string): RollupFacet {
  if (!isRollupFacet(name)) throw new Error(`${name} is no facet`);
  return name;
}

/**
 * Rows are counted one by one, so there may not be too many. The hours around the range tell how many there are, whatever the
 * filters.
 *
 * @throws Fault `invalid_request`
 */
export async function requireRowLimit(
  reader: DatabaseReader,
  { orgId, from, to }: Pick<ChartRange, 'orgId' | 'from' | 'to'>,
  isCompared: boolean,
): Promise<void> {
  const first = isCompared ? from - (to - from) : from;
  const hours = { from: first - (first % HOUR_MS), to: to + HOUR_MS };
  const [rows = 0] = await getRollupTotal(reader, { orgId, ...hours, unit: 'hour', figures: ['requests'] });
  if (rows > MAX_ROWS)
    throw new Fault(
      'invalid_request',
      `from: the range has ${rows} requests, and with these filters figures are counted over at most ${MAX_ROWS}; choose a shorter one, or a single filter by ${CHART_DIMENSIONS.filter((name) => name !== 'model').join(', ')}`,
      { param: 'from' },
    );
}
