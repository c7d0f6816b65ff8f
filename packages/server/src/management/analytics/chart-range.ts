import { DIMENSIONS, LONE_DIMENSIONS } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import type { ChartRequest } from '../../analytics/charts.ts';
import { MINUTES_KEPT_MS } from '../../store/retention.ts';
import { HOUR_MS } from '../../store/rollups/gather.ts';
import type { Facet, FacetFilter } from '../../store/rollups/read.ts';
import type { VerbContext } from '../verb.ts';
import { momentIn } from './zone-moments.ts';

const DAY_MS = 24 * HOUR_MS;
/** Minutes near their end may go while they are read. */
const MINUTES_SURE_MS = MINUTES_KEPT_MS - HOUR_MS;
/** Ranges up to this long are counted in minutes where these are kept, so that their ends are sharp. */
const SHORT_MS = 6 * HOUR_MS;

/** The parts of a chart's query that say which requests it is about. */
export interface ChartQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone?: string | undefined;
  readonly compare?: 'previous' | undefined;
  readonly [name: string]: unknown;
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
 * What a chart is about, and the unit it is counted in. Dates are days of the zone.
 *
 * @throws Fault `invalid_request` for an empty range, and for minutes that are not kept
 */
export function chartRange(
  { orgId, clock }: VerbContext,
  orgZone: string,
  query: ChartQuery,
  { groupBy, interval, filter, isOfRows = false }: ChartShape = {},
): ChartRequest & { readonly groupBy: Facet | undefined; readonly timezone: string } {
  const now = clock.now();
  const timezone = query.timezone ?? orgZone;
  const to = query.to === undefined ? now : momentIn(timezone, query.to);
  const from = query.from === undefined ? to - DAY_MS : momentIn(timezone, query.from);
  if (from >= to) throw new Fault('invalid_request', 'from: must be before to', { param: 'from' });
  const group = groupBy === undefined ? undefined : facetOf(groupBy);
  const paired = group !== undefined && filter !== undefined && group !== filter.facet;
  const earliest = query.compare === undefined ? from : from - (to - from);
  const isLone = [group, filter?.facet].some((facet) => facet !== undefined && isLoneFacet(facet));
  const kept = earliest >= now - MINUTES_KEPT_MS && !paired && !isLone;
  if (interval === 'minute' && !kept && !isOfRows)
    throw new Fault(
      'invalid_request',
      `interval: minutes are kept for 3 days, for one dimension at a time, and not for ${LONE_DIMENSIONS.join(', ')}`,
      { param: 'interval' },
    );
  const unit =
    interval === 'minute' || (interval === undefined && kept && to - from <= SHORT_MS) ? 'minute' : 'hour';
  return { orgId, from, to, unit, minutesSince: now - MINUTES_SURE_MS, filter, groupBy: group, timezone };
}

export function isFacet(name: string): name is Facet {
  return (
    name.startsWith('metadata.') || DIMENSIONS.some((dimension) => dimension === name) || isLoneFacet(name)
  );
}

export function isLoneFacet(name: string): boolean {
  return LONE_DIMENSIONS.some((dimension) => dimension === name);
}

/** The schema of the query let only facets pass. */
export function facetOf(name: string): Facet {
  if (!isFacet(name)) throw new Error(`${name} is no facet`);
  return name;
}
