import { keepPreviousData } from '@tanstack/react-query';
import * as charts from '../../data/analytics-queries.ts';
import type { FilterField } from '../../filters/filter-text.ts';
import { formatCount, formatDuration, formatMoney, formatTokens } from '../../format/amounts.ts';
import type { AdditiveMetricName } from './metric-groups.ts';
import { analyticsText } from './text.ts';

/** A tab of the analytics page: a metric and how the page displays it. */
export interface MetricTab {
  readonly id: string;
  readonly label: string;
  /** Returns the metric of the chart. Percentile metrics use the percentile selected on the page. */
  readonly metric: (percentile: string) => string;
  /** The metric of the table. */
  readonly sum: AdditiveMetricName;
  readonly format: (value: number) => string;
  /** Whether the values of the groups add up to the total, so that they can be stacked. */
  readonly adds: boolean;
  /** Whether a higher value is worse. */
  readonly worse?: boolean;
  /** The dimension to group by if the URL names none. */
  readonly by: string;
}

/** The tabs of the analytics page, in display order. */
export const METRIC_TABS: readonly MetricTab[] = [
  sumTab('spend', analyticsText.metrics.spend, 'cost_nano_usd', formatMoney),
  sumTab('requests', analyticsText.metrics.requests, 'requests', formatCount),
  sumTab('input', analyticsText.metrics.input, 'input_tokens', formatTokens),
  sumTab('output', analyticsText.metrics.output, 'output_tokens', formatTokens),
  { ...sumTab('errors', analyticsText.metrics.errors, 'errors', formatCount), by: 'error_code', worse: true },
  percentileTab('latency', analyticsText.metrics.latency),
  percentileTab('first_token', analyticsText.metrics.first_token),
  { ...sumTab('cache', analyticsText.metrics.cache, 'requests', formatCount), by: 'cache' },
];

function sumTab(
  id: string,
  label: string,
  sum: AdditiveMetricName,
  format: (value: number) => string,
): MetricTab {
  return { id, label, metric: () => sum, sum, format, adds: true, by: 'model' };
}

function percentileTab(id: 'latency' | 'first_token', label: string): MetricTab {
  const metric = (percentile: string) => `${id}_${percentile}_ms`;
  return { id, label, metric, sum: 'requests', format: formatDuration, adds: false, by: 'model' };
}

/** The dimensions that requests can be grouped and filtered by. */
export const GROUP_DIMENSIONS: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'model', label: analyticsText.dimensions.model },
  { value: 'model_requested', label: analyticsText.dimensions.model_requested },
  { value: 'provider', label: analyticsText.dimensions.provider },
  { value: 'key', label: analyticsText.dimensions.key },
  { value: 'team', label: analyticsText.dimensions.team },
  { value: 'owner', label: analyticsText.dimensions.owner },
  { value: 'surface', label: analyticsText.dimensions.surface },
  { value: 'route_mode', label: analyticsText.dimensions.route_mode },
  { value: 'outcome', label: analyticsText.dimensions.outcome },
  { value: 'status_class', label: analyticsText.dimensions.status_class },
  { value: 'error_code', label: analyticsText.dimensions.error_code },
  { value: 'cache', label: analyticsText.dimensions.cache },
];

/** The filter fields of the analytics page. */
export const ANALYTICS_FILTER_FIELDS: readonly FilterField[] = [
  ...GROUP_DIMENSIONS.map(({ value, label }) => ({ name: value, label: label.toLowerCase() })),
  { name: 'metadata', label: analyticsText.metadata, keyed: true },
];

type Query = Readonly<Record<string, string | number | readonly string[]>>;
const KEPT = { staleTime: 60_000, refetchOnWindowFocus: true, placeholderData: keepPreviousData } as const;

/**
 * Returns the query for the totals. After the filters change, the previous totals stay visible until the new ones are
 * loaded.
 */
export function buildMetricSummaryQuery(query: Query) {
  return { ...charts.buildSummaryQuery(query), ...KEPT };
}

/**
 * Returns the query for the chart. After the filters change, the previous chart stays visible until the new
 * one is loaded.
 */
export function buildMetricTimeseriesQuery(query: Query) {
  return { ...charts.buildTimeseriesQuery(query), ...KEPT };
}

/**
 * Returns the query for the table of groups. While it loads with other filters, the previous table stays
 * visible.
 */
export function buildMetricGroupsQuery(query: Query) {
  return { ...charts.buildTopValuesQuery(query), ...KEPT };
}

/**
 * Converts the filters and the time range to query parameters of the request list, in which the filter
 * `status_class` is named `status`.
 */
export function toRequestListParameters(
  filter: readonly { readonly name: string; readonly value: string }[],
  time: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...time,
    ...Object.fromEntries(
      filter.map(({ name, value }) => [name === 'status_class' ? 'status' : name, value]),
    ),
  };
}
