import { type ChartShape, chartRequest } from '../../analytics/chart-request.ts';
import type { VerbContext } from '../verb.ts';
import { momentIn } from './zone-moments.ts';

const DAY_MS = 86_400_000;

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
 * @throws Fault `invalid_request` as `chartRequest`
 */
export function chartRange(
  { orgId, clock }: VerbContext,
  orgZone: string,
  query: ChartQuery,
  shape: ChartShape = {},
) {
  const nowMs = clock.now();
  const timezone = query.timezone ?? orgZone;
  const to = query.to === undefined ? nowMs : momentIn(timezone, query.to);
  const from = query.from === undefined ? to - DAY_MS : momentIn(timezone, query.from);
  const isCompared = query.compare !== undefined;
  return { ...chartRequest({ orgId, from, to, nowMs, isCompared }, shape), timezone };
}
