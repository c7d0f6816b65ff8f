import type { analyticsSummary, analyticsTimeseries, analyticsTopValues } from '@floe/contract/api/charts';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from './api-client.ts';
import { getCurrentTime } from './server-clock.ts';

/** The totals of a time range. */
export type AnalyticsTotals = z.output<typeof analyticsSummary>;
/** The values of a metric over time, as one or several series. */
export type Timeseries = z.output<typeof analyticsTimeseries>;
/** The values of a dimension with the highest totals of a metric. */
export type TopValues = z.output<typeof analyticsTopValues>;

type AnalyticsParameters = Readonly<Record<string, string | number | null | undefined | readonly string[]>>;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Returns a function that creates the query for aggregated analytics. `lastMs` requests the given number of
 * milliseconds up to the time of each fetch.
 */
function createAnalyticsQuery<Answer>(report: 'summary' | 'timeseries' | 'top') {
  return (query: AnalyticsParameters, lastMs?: number) =>
    queryOptions({
      queryKey: ['analytics', report, query, lastMs ?? null],
      queryFn: ({ signal }) => {
        const from =
          lastMs === undefined ? {} : { from: new Date(getCurrentTime().getTime() - lastMs).toISOString() };
        return getJson<Answer>(`api/analytics/${report}`, { ...query, ...from }, signal);
      },
    });
}

/** Returns the query for the totals of a time range. */
export const buildSummaryQuery = createAnalyticsQuery<AnalyticsTotals>('summary');
/** Returns the query for the time series of a chart. */
export const buildTimeseriesQuery = createAnalyticsQuery<Timeseries>('timeseries');
/** Returns the query for the values of a dimension with the highest totals. */
export const buildTopValuesQuery = createAnalyticsQuery<TopValues>('top');
