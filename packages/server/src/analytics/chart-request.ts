import { DIMENSIONS, LONE_DIMENSIONS } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import type { Reader } from '../store/ports.ts';
import { MINUTES_KEPT_MS } from '../store/retention.ts';
import { HOUR_MS } from '../store/rollups/gather.ts';
import { type Facet, type FacetFilter, rollupTotal } from '../store/rollups/read.ts';
import type { ChartRequest } from './charts.ts';

/** Minutes near their end may go while they are read. */
const MINUTES_SURE_MS = MINUTES_KEPT_MS - HOUR_MS;
/** Ranges up to this long are counted in minutes where these are kept, so that their ends are sharp. */
const SHORT_MS = 6 * HOUR_MS;
/** Rows that are looked at for figures which no rollup holds; SQLite reads so many in about a second. */
const ROWS_MOST = 500_000;

/** The time that a chart is about. */
export interface ChartTime {
  readonly orgId: string;
  readonly from: number;
  readonly to: number;
  readonly nowMs: number;
  /** With the range of the same length before it. */
  readonly isCompared: boolean;
}

export interface ChartShape {
  readonly groupBy?: string | undefined;
  readonly interval?: 'minute' | 'hour' | 'day' | undefined;
  /** The one filter that rollups are asked for. */
  readonly filter?: FacetFilter | undefined;
  /** Rows are counted, whatever rollups hold. */
  readonly isOfRows?: boolean | undefined;
}

/**
 * What a chart asks the rollups for, and the unit that it is counted in.
 *
 * @throws Fault `invalid_request` for an empty range, and for minutes that are not kept
 */
export function chartRequest(
  { orgId, from, to, nowMs, isCompared }: ChartTime,
  { groupBy, interval, filter, isOfRows = false }: ChartShape,
): ChartRequest & { readonly groupBy: Facet | undefined } {
  if (from >= to) throw new Fault('invalid_request', 'from: must be before to', { param: 'from' });
  const group = groupBy === undefined ? undefined : facetOf(groupBy);
  const paired = group !== undefined && filter !== undefined && group !== filter.facet;
  const earliest = isCompared ? from - (to - from) : from;
  const isLone = [group, filter?.facet].some((facet) => facet !== undefined && isLoneFacet(facet));
  const kept = earliest >= nowMs - MINUTES_KEPT_MS && !paired && !isLone;
  if (interval === 'minute' && !kept && !isOfRows)
    throw new Fault(
      'invalid_request',
      `interval: minutes are kept for 3 days, for one dimension at a time, and not for ${LONE_DIMENSIONS.join(', ')}`,
      { param: 'interval' },
    );
  const unit =
    interval === 'minute' || (interval === undefined && kept && to - from <= SHORT_MS) ? 'minute' : 'hour';
  return { orgId, from, to, unit, minutesSince: nowMs - MINUTES_SURE_MS, filter, groupBy: group };
}

export function isFacet(name: string): name is Facet {
  return (
    name.startsWith('metadata.') || DIMENSIONS.some((dimension) => dimension === name) || isLoneFacet(name)
  );
}

function isLoneFacet(name: string): boolean {
  return LONE_DIMENSIONS.some((dimension) => dimension === name);
}

/** The schema of the query let only facets pass. */
export function facetOf(name: string): Facet {
  if (!isFacet(name)) throw new Error(`${name} is no facet`);
  return name;
}

/**
 * Rows are counted one by one, so there may not be too many. The hours around the range tell how many there are, whatever the
 * filters.
 *
 * @throws Fault `invalid_request`
 */
export async function requireFewRows(
  reader: Reader,
  { orgId, from, to }: Pick<ChartTime, 'orgId' | 'from' | 'to'>,
  isCompared: boolean,
): Promise<void> {
  const first = isCompared ? from - (to - from) : from;
  const hours = { from: first - (first % HOUR_MS), to: to + HOUR_MS };
  const [rows = 0] = await rollupTotal(reader, { orgId, ...hours, unit: 'hour', figures: ['requests'] });
  if (rows > ROWS_MOST)
    throw new Fault(
      'invalid_request',
      `from: the range has ${rows} requests, and with these filters figures are counted over at most ${ROWS_MOST}; choose a shorter one, or a single filter by ${DIMENSIONS.filter((name) => name !== 'model').join(', ')}`,
      { param: 'from' },
    );
}
