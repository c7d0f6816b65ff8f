import { DIMENSIONS } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import { MINUTES_KEPT_MS } from '../../store/retention.ts';
import { HOUR_MS, MINUTE_MS } from '../../store/rollups/gather.ts';
import { type Facet, type FacetValue, isPair, type RollupRequest } from '../../store/rollups/read.ts';
import type { VerbContext } from '../verb.ts';

const DAY_MS = 24 * HOUR_MS;
/** Ranges up to this long are counted in minutes where these are kept, so that their ends are sharp. */
const SHORT_MS = 6 * HOUR_MS;

/** The parts of a chart's query that say which requests it is about. */
export interface ChartQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly [name: string]: unknown;
}

/**
 * The rollup rows a chart is made of. The range ends where its unit does, outside of what was asked for.
 *
 * @throws Fault `invalid_request` for an empty range, for more than one filter, and for a filter and a grouping
 *   that are not counted together
 */
export function chartRange(
  { orgId, clock }: VerbContext,
  query: ChartQuery,
  groupBy?: string,
  interval?: 'minute' | 'hour' | 'day',
): RollupRequest & { readonly groupBy: Facet | undefined } {
  const now = clock.now();
  const to = query.to === undefined ? now : Date.parse(query.to);
  const from = query.from === undefined ? to - DAY_MS : Date.parse(query.from);
  if (from >= to) throw new Fault('invalid_request', 'from: must be before to', { param: 'from' });
  const filter = filterIn(query);
  const group = groupBy === undefined ? undefined : facetOf(groupBy);
  const paired = group !== undefined && filter !== undefined && group !== filter.facet;
  if (paired && !isPair(group, filter.facet))
    throw new Fault('invalid_request', `${filter.facet}: is not counted together with ${group}`, {
      param: filter.facet,
    });
  const kept = from >= now - MINUTES_KEPT_MS && !paired;
  if (interval === 'minute' && !kept)
    throw new Fault('invalid_request', 'interval: minutes are kept for 3 days, for one dimension at a time', {
      param: 'interval',
    });
  const unit =
    interval === 'minute' || (interval === undefined && kept && to - from <= SHORT_MS) ? 'minute' : 'hour';
  const unitMs = unit === 'minute' ? MINUTE_MS : HOUR_MS;
  return {
    orgId,
    from: Math.floor(from / unitMs) * unitMs,
    to: Math.ceil(to / unitMs) * unitMs,
    unit,
    filter,
    groupBy: group,
  };
}

/** The range as answers carry it. */
export function covered({ from, to }: { readonly from: number; readonly to: number }) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function filterIn(query: ChartQuery): FacetValue | undefined {
  const [first, second] = Object.entries(query).flatMap(([name, value]) =>
    isFacet(name) && typeof value === 'string' ? [{ facet: name, value }] : [],
  );
  if (second)
    throw new Fault('invalid_request', `${second.facet}: charts take one filter at a time`, {
      param: second.facet,
    });
  return first;
}

function isFacet(name: string): name is Facet {
  return name.startsWith('metadata.') || DIMENSIONS.some((dimension) => dimension === name);
}

/** The schema of the query let only facets pass. */
function facetOf(name: string): Facet {
  if (!isFacet(name)) throw new Error(`${name} is no facet`);
  return name;
}
