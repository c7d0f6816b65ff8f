import type { RequestDetail, RequestListPage, RequestTailPage } from '@floe/contract/api/analytics';
import type { analyticsDimensionValues } from '@floe/contract/api/charts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import * as charts from '../../data/analytics-queries.ts';
import { getJson } from '../../data/api-client.ts';
import { type FilterToken, toMultiValueFilterQuery } from '../../filters/filter-text.ts';
import {
  chooseChartInterval,
  type SelectedTimeRange,
  splitRelativeTimeRange,
  toTimeRangeParameters,
} from '../../filters/time-range.ts';

/** Filters of the request list as query parameters of the API, each with one or several values. */
export type RequestFilters = Readonly<Record<string, string | readonly string[]>>;

/** Converts the filters and the time range of a URL to query parameters of the API. */
export function toRequestFilters(
  tokens: readonly FilterToken[],
  timeRange: SelectedTimeRange,
): RequestFilters {
  return { ...toMultiValueFilterQuery(tokens), ...toTimeRangeParameters(timeRange) };
}

/** Number of rows of a page of the list. */
export const REQUEST_PAGE_SIZE = 100;
const FIGURES_MS = 15_000;
/**
 * Maximum number of rows in a tail response. If there are more, the newest are returned and the list must be
 * reloaded.
 */
const TAIL_ROWS = 500;

/**
 * Returns the query for the requests, page by page, newest first. If the time range has no end, the response
 * contains the ID of the event up to which the list is complete.
 */
export function buildRequestsQuery(filters: RequestFilters) {
  const live = filters['to'] === undefined ? { live: true } : {};
  return infiniteQueryOptions({
    queryKey: ['requests', filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<RequestListPage>(
        'api/analytics/requests',
        { ...filters, ...(pageParam === '' ? live : {}), limit: REQUEST_PAGE_SIZE, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // The tail adds new rows, and existing rows do not change.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Fields whose values are counted in advance. */
const COUNTED: ReadonlySet<string> = new Set([
  'provider',
  'model',
  'key',
  'surface',
  'model_requested',
  'route_mode',
  'state',
  'error_code',
  'cache',
  'team',
  'owner',
]);

/**
 * Returns the query for the most frequent values of a field that start with `prefix`. Returns null for a
 * field whose values are not counted.
 */
export function buildFieldValuesQuery(field: string, prefix: string, timeRange: SelectedTimeRange) {
  if (!COUNTED.has(field)) return null;
  const time = toTimeRangeParameters(timeRange);
  return {
    queryKey: ['values', field, prefix, time],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
      const asked = { ...time, field, q: prefix, limit: 12 };
      const { data } = await getJson<z.output<typeof analyticsDimensionValues>>(
        'api/analytics/values',
        asked,
        signal,
      );
      return data.flatMap(({ value, name, requests }) =>
        value === null ? [] : [{ value: name ?? value, rows: requests }],
      );
    },
  };
}

/**
 * Fetches the requests that were recorded between two events. Without the ID of the second event, fetches all
 * requests after the first event.
 */
export function fetchRequestTail(
  { from: _from, to: _to, ...filters }: RequestFilters,
  after: string,
  until: string | null,
): Promise<RequestTailPage> {
  return getJson('api/analytics/tail', { ...filters, after, until, limit: TAIL_ROWS });
}

/**
 * Returns whether the request list has no filters and no end time. Only then can it use the rows in events,
 * because events are not filtered.
 */
export function isUnfiltered(filters: RequestFilters): boolean {
  return Object.keys(filters).every((name) => name === 'from');
}

/** Returns the query for one request. */
export function buildRequestQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id],
    queryFn: ({ signal }) =>
      getJson<RequestDetail>(`api/analytics/requests/${encodeURIComponent(id)}`, undefined, signal),
  });
}

/** Returns the query for the totals of all requests that match the filters. */
export function buildRequestSummaryQuery(filters: RequestFilters, timeRange: SelectedTimeRange) {
  return {
    ...charts.buildSummaryQuery(...splitRelativeTimeRange(filters, timeRange)),
    refetchInterval: FIGURES_MS,
  };
}

/** Returns the query for the number of requests in each interval, by outcome. */
export function buildRequestOutcomesQuery(filters: RequestFilters, timeRange: SelectedTimeRange) {
  const [others, lastMs] = splitRelativeTimeRange(filters, timeRange);
  const asked = {
    ...others,
    metric: 'requests',
    group_by: 'outcome',
    interval: chooseChartInterval(timeRange),
  };
  return { ...charts.buildTimeseriesQuery(asked, lastMs), refetchInterval: FIGURES_MS };
}
