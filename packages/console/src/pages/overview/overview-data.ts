import type { orgOverview } from '@floe/contract/api/overview';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import * as charts from '../../data/analytics-queries.ts';
import { fetchChartAnnotations } from '../../data/annotations.ts';
import { getJson } from '../../data/api-client.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import {
  advanceTimeRange,
  chooseChartInterval,
  type SelectedTimeRange,
  splitRelativeTimeRange,
  toTimeRangeParameters,
} from '../../filters/time-range.ts';

/** The data of the overview page, except the charts and lists. */
export type Overview = z.output<typeof orgOverview>;

/** Interval in milliseconds at which charts refresh while the page is visible. */
const CHARTS_MS = 15_000;
const COUNTERS_MS = 5_000;

/**
 * Returns the query for the totals and the items that need attention. The query is refetched every five
 * seconds.
 */
export function buildOverviewQuery(timeRange: SelectedTimeRange) {
  const time = toTimeRangeParameters(timeRange);
  return queryOptions({
    queryKey: ['overview', time],
    queryFn: ({ signal }) =>
      getJson<Overview>(
        'api/overview',
        toTimeRangeParameters(advanceTimeRange(timeRange, getCurrentTime())),
        signal,
      ),
    refetchInterval: COUNTERS_MS,
    placeholderData: keepPreviousData,
  });
}

/** The query parameter that groups the values of a chart by outcome. */
export const GROUP_BY_OUTCOME = { group_by: 'outcome' } as const;

/** Returns the query for a chart of a metric. The query is refetched every 15 seconds. */
export function buildOverviewTimeseriesQuery(
  metric: string,
  timeRange: SelectedTimeRange,
  more: Readonly<Record<string, string>> = {},
) {
  const [time, lastMs] = splitRelativeTimeRange(toTimeRangeParameters(timeRange), timeRange);
  const query = {
    ...time,
    metric,
    interval: chooseChartInterval(timeRange),
    ...more,
  };
  return {
    ...charts.buildTimeseriesQuery(query, lastMs),
    refetchInterval: CHARTS_MS,
    placeholderData: keepPreviousData,
  };
}

/** Returns the query for the values of the dimension `by` that have the highest `metric`. */
export function buildOverviewTopValuesQuery(
  by: string,
  metric: string,
  timeRange: SelectedTimeRange,
  limit = 5,
) {
  const [time, lastMs] = splitRelativeTimeRange(toTimeRangeParameters(timeRange), timeRange);
  const query = { ...time, by, metric, limit };
  return {
    ...charts.buildTopValuesQuery(query, lastMs),
    refetchInterval: CHARTS_MS,
    placeholderData: keepPreviousData,
  };
}

/** Returns the query for the six newest annotations of the time range. */
export function buildRecentAnnotationsQuery(timeRange: SelectedTimeRange) {
  const query = { ...toTimeRangeParameters(timeRange), limit: 6 };
  return queryOptions({
    queryKey: ['analytics', 'annotations', query],
    queryFn: ({ signal }) => fetchChartAnnotations(query, signal),
    placeholderData: keepPreviousData,
  });
}

/** Returns the queries of all charts and lists of the page. Identical queries are sent only once. */
export function buildOverviewQueries(timeRange: SelectedTimeRange) {
  return {
    series: [
      buildOverviewTimeseriesQuery('requests', timeRange, GROUP_BY_OUTCOME),
      buildOverviewTimeseriesQuery('cost_nano_usd', timeRange, { compare: 'previous' }),
      ...['latency_p50_ms', 'latency_p95_ms', 'first_token_p50_ms', 'first_token_p95_ms'].map((metric) =>
        buildOverviewTimeseriesQuery(metric, timeRange),
      ),
    ],
    tops: [
      buildOverviewTopValuesQuery('model', 'cost_nano_usd', timeRange),
      buildOverviewTopValuesQuery('key', 'cost_nano_usd', timeRange),
      buildOverviewTopValuesQuery('error_code', 'errors', timeRange),
    ],
    changes: buildRecentAnnotationsQuery(timeRange),
  };
}
