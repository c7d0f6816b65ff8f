import type { RequestDetail, RequestListPage, RequestTailPage } from '@floe/contract/api/analytics';
import type { analyticsValues } from '@floe/contract/api/charts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from '../../data/api-client.ts';
import * as charts from '../../data/charts.ts';
import { parseFilterValues } from '../../filters/filter-value.ts';
import { chooseChartInterval, type SelectedTimeRange, timeRangeQuery } from '../../filters/time-range.ts';

/** Parameters of the API: one value, or several. */
export type RequestFilters = Readonly<Record<string, string | readonly string[]>>;

/** The parameters of the API that a link's filters and its time stand for. */
export function toRequestFilters(
  tokens: readonly { readonly name: string; readonly value: string }[],
  span: SelectedTimeRange,
): RequestFilters {
  const filters = Object.fromEntries(
    tokens.map(({ name, value }) => {
      const [first = value, ...others] = parseFilterValues(value);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
  return { ...filters, ...timeRangeQuery(span) };
}

const PAGE_ROWS = 100;
const FIGURES_MS = 15_000;
/** A second of a flood: of more the newest are told, and the list is read again. */
const TAIL_ROWS = 500;

/** Requests, newest first, page by page. A list with an open end says up to which event of the stream it is exact. */
export function requestsQuery(filters: RequestFilters) {
  const live = filters['to'] === undefined ? { live: true } : {};
  return infiniteQueryOptions({
    queryKey: ['requests', filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<RequestListPage>(
        'api/analytics/requests',
        { ...filters, ...(pageParam === '' ? live : {}), limit: PAGE_ROWS, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // What is new is added by the tail; what is here does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Fields whose values are counted ahead. */
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

/** The values a field has in some time, most first; null for a field that nobody counts. */
export function fieldValuesQuery(field: string, begun: string, span: SelectedTimeRange) {
  if (!COUNTED.has(field)) return null;
  const time = timeRangeQuery(span);
  return {
    queryKey: ['values', field, begun, time],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
      const asked = { ...time, field, q: begun, limit: 12 };
      const { data } = await getJson<z.output<typeof analyticsValues>>('api/analytics/values', asked, signal);
      return data.flatMap(({ value, name, requests }) =>
        value === null ? [] : [{ value: name ?? value, rows: requests }],
      );
    },
  };
}

/** What there would be with one filter fewer. */
export function withoutFilterQuery(filters: RequestFilters, name: string) {
  const { [name]: _, ...others } = filters;
  return queryOptions({
    queryKey: ['requests', 'fewer', others],
    queryFn: ({ signal }) =>
      getJson<RequestListPage>('api/analytics/requests', { ...others, limit: PAGE_ROWS }, signal),
  });
}

/** The requests that were recorded between two ids of the event stream; up to now without the second. */
export function fetchRequestTail(
  { from: _from, to: _to, ...filters }: RequestFilters,
  after: string,
  until: string | null,
): Promise<RequestTailPage> {
  return getJson('api/analytics/tail', { ...filters, after, until, limit: TAIL_ROWS });
}

/** Whether events tell all that belongs to the list: they know of no filter. */
export function isUnfiltered(filters: RequestFilters): boolean {
  return Object.keys(filters).every((name) => name === 'from');
}

export function requestQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id],
    queryFn: ({ signal }) =>
      getJson<RequestDetail>(`api/analytics/requests/${encodeURIComponent(id)}`, undefined, signal),
  });
}

/** Figures over the list: the API counts what it shows. */
export function requestSummaryQuery(filters: RequestFilters) {
  return { ...charts.summaryQuery(filters), refetchInterval: FIGURES_MS };
}

/** Requests per interval, by outcome. */
export function requestOutcomesQuery(filters: RequestFilters, span: SelectedTimeRange) {
  const asked = { ...filters, metric: 'requests', group_by: 'outcome', interval: chooseChartInterval(span) };
  return { ...charts.timeseriesQuery(asked), refetchInterval: FIGURES_MS };
}
