import { buildChartRequest, type ChartOptions } from '../../analytics/chart-request.ts';
import type { OperationContext } from '../operation.ts';
import { parseLocalTimestamp } from './local-timestamps.ts';

const DAY_MS = 86_400_000;

/** The query parameters that select the requests of a chart. */
export interface ChartQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone?: string | undefined;
  readonly compare?: 'previous' | undefined;
  readonly [name: string]: unknown;
}

/**
 * Returns a chart's time range and step. Dates are days in the chart's time zone.
 *
 * @throws Fault `invalid_request` in the same cases as `buildChartRequest`
 */
export function resolveChartRange(
  { orgId, clock }: OperationContext,
  orgTimezone: string,
  query: ChartQuery,
  shape: ChartOptions = {},
) {
  const nowMs = clock.now();
  const timezone = query.timezone ?? orgTimezone;
  const to = query.to === undefined ? nowMs : parseLocalTimestamp(timezone, query.to);
  const from = query.from === undefined ? to - DAY_MS : parseLocalTimestamp(timezone, query.from);
  const isCompared = query.compare !== undefined;
  return { ...buildChartRequest({ orgId, from, to, nowMs, includesPrevious: isCompared }, shape), timezone };
}
