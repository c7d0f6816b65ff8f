import { DIMENSIONS, LONE_DIMENSIONS } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import type { ChartRequest } from '../../analytics/charts.ts';
import { MINUTES_KEPT_MS } from '../../store/retention.ts';
import { HOUR_MS } from '../../store/rollups/gather.ts';
import { type Facet, type FacetFilter, isPair } from '../../store/rollups/read.ts';
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

/**
 * What a chart is about, and the unit it is counted in. Dates are days of the zone.
 *
 * @throws Fault `invalid_request` for an empty range, for more than one filter, and for a filter and a grouping
 *   that are not counted together
 */
export function chartRange(
  { orgId, clock }: VerbContext,
  orgZone: string,
  query: ChartQuery,
  groupBy?: string,
  interval?: 'minute' | 'hour' | 'day',
): ChartRequest & { readonly groupBy: Facet | undefined; readonly timezone: string } {
  const now = clock.now();
  const timezone = query.timezone ?? orgZone;
  const to = query.to === undefined ? now : momentIn(timezone, query.to);
  const from = query.from === undefined ? to - DAY_MS : momentIn(timezone, query.from);
  if (from >= to) throw new Fault('invalid_request', 'from: must be before to', { param: 'from' });
  const filter = filterIn(query);
  const group = groupBy === undefined ? undefined : facetOf(groupBy);
  const paired = group !== undefined && filter !== undefined && group !== filter.facet;
  if (paired && !isPair(group, filter.facet))
    throw new Fault('invalid_request', `${filter.facet}: is not counted together with ${group}`, {
      param: filter.facet,
    });
  const earliest = query.compare === undefined ? from : from - (to - from);
  const isLone = [group, filter?.facet].some((facet) => facet !== undefined && isLoneFacet(facet));
  const kept = earliest >= now - MINUTES_KEPT_MS && !paired && !isLone;
  if (interval === 'minute' && !kept)
    throw new Fault(
      'invalid_request',
      `interval: minutes are kept for 3 days, for one dimension at a time, and not for ${LONE_DIMENSIONS.join(', ')}`,
      { param: 'interval' },
    );
  const unit =
    interval === 'minute' || (interval === undefined && kept && to - from <= SHORT_MS) ? 'minute' : 'hour';
  return { orgId, from, to, unit, minutesSince: now - MINUTES_SURE_MS, filter, groupBy: group, timezone };
}

function filterIn(query: ChartQuery): FacetFilter | undefined {
  const [first, second] = Object.entries(query).flatMap(([name, value]) =>
    isFacet(name) && value !== undefined ? [{ facet: name, ...chosen(value) }] : [],
  );
  if (second)
    throw new Fault('invalid_request', `${second.facet}: charts take one filter at a time`, {
      param: second.facet,
    });
  return first;
}

/** A value, or several, each with a `!` before it to leave it out. */
function chosen(value: unknown): Pick<FacetFilter, 'any' | 'none'> {
  const values = (Array.isArray(value) ? value : [value]).map(String);
  return {
    any: values.filter((one) => !one.startsWith('!')),
    none: values.flatMap((one) => (one.startsWith('!') ? [one.slice(1)] : [])),
  };
}

function isFacet(name: string): name is Facet {
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
