import { keepPreviousData } from '@tanstack/react-query';
import * as charts from '../../data/charts.ts';
import type { FilterField } from '../../filters/filter-text.ts';
import { formatCount, formatDuration, formatMoney, formatTokens } from '../../format/amounts.ts';
import type { MetricSumName } from './metric-groups.ts';

export interface MetricTab {
  readonly id: string;
  readonly label: string;
  /** What the chart draws; percentiles take the one the page has chosen. */
  readonly metric: (percentile: string) => string;
  /** What the table goes by. */
  readonly sum: MetricSumName;
  readonly format: (value: number) => string;
  /** Parts of a whole are stacked; speeds are not. */
  readonly adds: boolean;
  /** More is worse. */
  readonly worse?: boolean;
  /** Shown when the page does not say what to group by. */
  readonly by: string;
}

export const METRIC_TABS: readonly MetricTab[] = [
  sumTab('spend', 'Spend', 'cost_nano_usd', formatMoney),
  sumTab('requests', 'Requests', 'requests', formatCount),
  sumTab('input', 'Input tokens', 'input_tokens', formatTokens),
  sumTab('output', 'Output tokens', 'output_tokens', formatTokens),
  { ...sumTab('errors', 'Errors', 'errors', formatCount), by: 'error_code', worse: true },
  percentileTab('latency', 'Latency'),
  percentileTab('first_token', 'First token'),
  { ...sumTab('cache', 'Cache', 'requests', formatCount), by: 'cache' },
];

function sumTab(id: string, label: string, sum: MetricSumName, format: (value: number) => string): MetricTab {
  return { id, label, metric: () => sum, sum, format, adds: true, by: 'model' };
}

function percentileTab(id: 'latency' | 'first_token', label: string): MetricTab {
  const metric = (percentile: string) => `${id}_${percentile}_ms`;
  return { id, label, metric, sum: 'requests', format: formatDuration, adds: false, by: 'model' };
}

/** What can be grouped by and filtered on. */
export const GROUP_DIMENSIONS: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'model', label: 'Model that served' },
  { value: 'model_requested', label: 'Model asked for' },
  { value: 'provider', label: 'Provider' },
  { value: 'key', label: 'Key' },
  { value: 'team', label: 'Team' },
  { value: 'owner', label: 'Owner' },
  { value: 'surface', label: 'Surface' },
  { value: 'route_mode', label: 'Route mode' },
  { value: 'outcome', label: 'Outcome' },
  { value: 'status_class', label: 'Status' },
  { value: 'error_code', label: 'Error code' },
  { value: 'cache', label: 'Cache' },
];

export const CHART_FIELDS: readonly FilterField[] = [
  ...GROUP_DIMENSIONS.map(({ value, label }) => ({ name: value, label: label.toLowerCase() })),
  { name: 'metadata', label: 'metadata', keyed: true },
];

type Query = Readonly<Record<string, string | number>>;
const KEPT = { staleTime: 60_000, refetchOnWindowFocus: true, placeholderData: keepPreviousData } as const;

export function metricSummaryQuery(query: Query) {
  return { ...charts.summaryQuery(query), ...KEPT };
}

export function metricTimeseriesQuery(query: Query) {
  return { ...charts.timeseriesQuery(query), ...KEPT };
}

export function metricGroupsQuery(query: Query) {
  return { ...charts.topQuery(query), ...KEPT };
}

/** The same requests in the list: its name for a status class is `status`. */
export function toRequestListSearch(
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
