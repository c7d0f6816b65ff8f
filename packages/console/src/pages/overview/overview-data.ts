import type { annotations, summary, timeseries, top } from '@floe/contract/api/charts';
import type { overview } from '@floe/contract/api/overview';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { get } from '../../data/api-client.ts';
import { intervalOf, type TimeSpan } from '../../filters/time-range.ts';

export type Overview = z.output<typeof overview>;
export type Summary = z.output<typeof summary>;
export type Timeseries = z.output<typeof timeseries>;
export type Top = z.output<typeof top>;
export type Annotations = z.output<typeof annotations>;

/** A chart follows what happens; a page in the background does not ask. */
const EVERY_MS = 15_000;
const COUNTERS_MS = 5_000;

/** A range that goes on until now has no end, so that what arrives is counted. */
export function rangeText({ from, to, range }: TimeSpan): Record<string, string> {
  return { from: from.toISOString(), ...(range === null ? { to: to.toISOString() } : {}) };
}

export function overviewQuery(span: TimeSpan) {
  const time = rangeText(span);
  return queryOptions({
    queryKey: ['overview', time],
    queryFn: ({ signal }) => get<Overview>('api/overview', time, signal),
    refetchInterval: COUNTERS_MS,
    placeholderData: (before) => before,
  });
}

export function comparedQuery(span: TimeSpan) {
  const query = { ...rangeText(span), compare: 'previous' };
  return queryOptions({
    queryKey: ['analytics', 'summary', query],
    queryFn: ({ signal }) => get<Summary>('api/analytics/summary', query, signal),
    refetchInterval: COUNTERS_MS,
    placeholderData: (before) => before,
  });
}

export function metricQuery(metric: string, span: TimeSpan, more: Readonly<Record<string, string>> = {}) {
  const query = { ...rangeText(span), metric, interval: intervalOf(span), ...more };
  return queryOptions({
    queryKey: ['analytics', 'timeseries', query],
    queryFn: ({ signal }) => get<Timeseries>('api/analytics/timeseries', query, signal),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
}

export function topQuery(by: string, metric: string, span: TimeSpan, limit = 5) {
  const query = { ...rangeText(span), by, metric, limit };
  return queryOptions({
    queryKey: ['analytics', 'top', query],
    queryFn: ({ signal }) => get<Top>('api/analytics/top', query, signal),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
}

export function changesQuery(span: TimeSpan) {
  const query = { ...rangeText(span), limit: 6 };
  return queryOptions({
    queryKey: ['analytics', 'annotations', query],
    queryFn: ({ signal }) => get<Annotations>('api/analytics/annotations', query, signal),
    placeholderData: (before) => before,
  });
}

/** What the charts and lists will ask once they are drawn. The same question twice is asked once. */
export function partQueries(span: TimeSpan) {
  return {
    compared: comparedQuery(span),
    series: [
      metricQuery('requests', span),
      metricQuery('errors', span),
      metricQuery('cost_nano_usd', span, { compare: 'previous' }),
      ...['latency_p50_ms', 'latency_p95_ms', 'first_token_p50_ms', 'first_token_p95_ms'].map((metric) =>
        metricQuery(metric, span),
      ),
    ],
    tops: [
      topQuery('model', 'cost_nano_usd', span),
      topQuery('key', 'cost_nano_usd', span),
      topQuery('error_code', 'errors', span),
    ],
    changes: changesQuery(span),
  };
}
