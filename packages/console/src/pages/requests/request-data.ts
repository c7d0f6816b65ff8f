import type { RequestRow, requestDetail } from '@floe/contract/api/analytics';
import type { SummaryFigures, timeseries } from '@floe/contract/api/charts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { get, type Page } from '../../data/api-client.ts';
import { intervalOf, type TimeSpan } from '../../filters/time-range.ts';

export type RequestDetail = z.output<typeof requestDetail>;
export type Timeseries = z.output<typeof timeseries>;

/** The parameters of the API that a link's filters and its time stand for. */
export function apiFilters(
  tokens: readonly { readonly name: string; readonly value: string }[],
  { from, to, range }: TimeSpan,
): Record<string, string> {
  const filters = Object.fromEntries(tokens.map(({ name, value }) => [name, value]));
  // An open end: what arrives while one looks belongs to "the last hour" too.
  return { ...filters, from: from.toISOString(), ...(range === null ? { to: to.toISOString() } : {}) };
}

const PAGE_ROWS = 100;
/** What one look at the newest brings. */
export const NEWEST_ROWS = PAGE_ROWS;

/** Requests, newest first, page by page. */
export function requestsQuery(filters: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    queryKey: ['requests', filters],
    queryFn: ({ pageParam, signal }) =>
      get<Page<RequestRow>>(
        'api/analytics/requests',
        { ...filters, limit: PAGE_ROWS, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  });
}

/** The newest requests of a list that is live. */
export function newestRequests(filters: Readonly<Record<string, string>>): Promise<Page<RequestRow>> {
  return get('api/analytics/requests', { ...filters, limit: NEWEST_ROWS });
}

export function requestQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id],
    queryFn: ({ signal }) =>
      get<RequestDetail>(`api/analytics/requests/${encodeURIComponent(id)}`, undefined, signal),
  });
}

/** Filters that charts know too; the list knows more. */
function chartFilters(filters: Readonly<Record<string, string>>): Record<string, string> | null {
  const known: Record<string, string> = {};
  for (const [name, value] of Object.entries(filters)) {
    if (name === 'from' || name === 'to' || name === 'provider') known[name] = value;
    else if (name === 'status' && /^[1-5]xx$/.test(value)) known['status_class'] = value;
    else return null;
  }
  return known;
}

/** Figures over the list. `null` where the filters are finer than what is added up. */
export function summaryQuery(filters: Readonly<Record<string, string>>) {
  const known = chartFilters(filters);
  return queryOptions({
    queryKey: ['analytics', 'summary', known],
    queryFn: ({ signal }) => get<SummaryFigures>('api/analytics/summary', known ?? {}, signal),
    enabled: known !== null,
    refetchInterval: 15_000,
  });
}

/** Requests or errors per interval. */
export function countsQuery(
  metric: 'requests' | 'errors',
  filters: Readonly<Record<string, string>>,
  span: TimeSpan,
) {
  const known = chartFilters(filters);
  const interval = intervalOf(span);
  return queryOptions({
    queryKey: ['analytics', 'timeseries', metric, interval, known],
    queryFn: ({ signal }) =>
      get<Timeseries>('api/analytics/timeseries', { ...known, metric, interval }, signal),
    enabled: known !== null,
    refetchInterval: 15_000,
  });
}
