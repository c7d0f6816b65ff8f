import type { analyticsSummary, analyticsTimeseries, analyticsTopValues } from '@floe/contract/api/charts';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from './api-client.ts';

export type ChartSummary = z.output<typeof analyticsSummary>;
export type Timeseries = z.output<typeof analyticsTimeseries>;
export type TopValues = z.output<typeof analyticsTopValues>;

type Asked = Readonly<Record<string, string | number | null | undefined | readonly string[]>>;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Returns a function that creates the query for aggregated analytics. `lastMs` requests the given number of
 * milliseconds up to the time of each fetch.
 */
function figures<Answer>(what: 'summary' | 'timeseries' | 'top') {
  return (query: Asked, lastMs?: number) =>
    queryOptions({
      queryKey: ['analytics', what, query, lastMs ?? null],
      queryFn: ({ signal }) => {
        const from = lastMs === undefined ? {} : { from: new Date(Date.now() - lastMs).toISOString() };
        return getJson<Answer>(`api/analytics/${what}`, { ...query, ...from }, signal);
      },
    });
}

/** Returns the query for the totals of a time range. */
export const summaryQuery = figures<ChartSummary>('summary');
/** Returns the query for the time series of a chart. */
export const timeseriesQuery = figures<Timeseries>('timeseries');
/** Returns the query for the values of a dimension with the highest totals. */
export const topQuery = figures<TopValues>('top');
