import type { analyticsAnnotations } from '@floe/contract/api/annotations';
import type { orgOverview } from '@floe/contract/api/overview';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from '../../data/api-client.ts';
import * as charts from '../../data/charts.ts';
import {
  chooseChartInterval,
  type SelectedTimeRange,
  toTimeRangeParameters,
} from '../../filters/time-range.ts';

export type Overview = z.output<typeof orgOverview>;
export type AnnotationsPage = z.output<typeof analyticsAnnotations>;

/** Interval in milliseconds at which charts refresh while the page is visible. */
const CHARTS_MS = 15_000;
const COUNTERS_MS = 5_000;

export function overviewQuery(span: SelectedTimeRange) {
  const time = toTimeRangeParameters(span);
  return queryOptions({
    queryKey: ['overview', time],
    queryFn: ({ signal }) => getJson<Overview>('api/overview', time, signal),
    refetchInterval: COUNTERS_MS,
    placeholderData: keepPreviousData,
  });
}

/** Query parameters that group requests by outcome. */
export const GROUP_BY_OUTCOME = { group_by: 'outcome' } as const;

/** Returns the query for a metric over the time range. */
export function overviewMetricQuery(
  metric: string,
  span: SelectedTimeRange,
  more: Readonly<Record<string, string>> = {},
) {
  const query = { ...toTimeRangeParameters(span), metric, interval: chooseChartInterval(span), ...more };
  return { ...charts.timeseriesQuery(query), refetchInterval: CHARTS_MS, placeholderData: keepPreviousData };
}

/** Returns the query for the values of the dimension `by` with the highest `metric`. */
export function overviewTopQuery(by: string, metric: string, span: SelectedTimeRange, limit = 5) {
  const query = { ...toTimeRangeParameters(span), by, metric, limit };
  return { ...charts.topQuery(query), refetchInterval: CHARTS_MS, placeholderData: keepPreviousData };
}

/** Returns the query for the newest annotations of the time range, at most six. */
export function recentEventsQuery(span: SelectedTimeRange) {
  const query = { ...toTimeRangeParameters(span), limit: 6 };
  return queryOptions({
    queryKey: ['analytics', 'annotations', query],
    queryFn: ({ signal }) => getJson<AnnotationsPage>('api/analytics/annotations', query, signal),
    placeholderData: keepPreviousData,
  });
}

/** Returns the queries of the charts and lists. The query cache sends identical queries only once. */
export function overviewPartQueries(span: SelectedTimeRange) {
  return {
    series: [
      overviewMetricQuery('requests', span, GROUP_BY_OUTCOME),
      overviewMetricQuery('cost_nano_usd', span, { compare: 'previous' }),
      ...['latency_p50_ms', 'latency_p95_ms', 'first_token_p50_ms', 'first_token_p95_ms'].map((metric) =>
        overviewMetricQuery(metric, span),
      ),
    ],
    tops: [
      overviewTopQuery('model', 'cost_nano_usd', span),
      overviewTopQuery('key', 'cost_nano_usd', span),
      overviewTopQuery('error_code', 'errors', span),
    ],
    changes: recentEventsQuery(span),
  };
}
