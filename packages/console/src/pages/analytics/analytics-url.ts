import type { PageQueryPrefetcher } from '../../app/page-route.ts';
import { buildAnnotationsQuery } from '../../data/annotations.ts';
import { toFilterTokens, toMultiValueFilterQuery } from '../../filters/filter-text.ts';
import { chooseChartInterval, toTimeRangeParameters } from '../../filters/time-range.ts';
import { resolveUrlTimeRange } from '../../filters/url-time-range.ts';
import {
  ANALYTICS_FILTER_FIELDS,
  buildMetricGroupsQuery,
  buildMetricSummaryQuery,
  buildMetricTimeseriesQuery,
  METRIC_TABS,
} from './analytics-data.ts';
import { MAX_METRIC_GROUPS } from './metric-groups.ts';
import { resolveTimeZone } from './time-zone-select.tsx';

/**
 * Returns the metric, grouping, filters, time range and other settings that the URL selects, and the queries
 * for the data of the page.
 */
export function parseAnalyticsUrl(query: URLSearchParams) {
  const link = `analytics ${query.get('range')} ${query.get('from')} ${query.get('to')}`;
  const span = resolveUrlTimeRange(link, query, '30d');
  const tab = METRIC_TABS.find(({ id }) => id === query.get('metric')) ?? METRIC_TABS[0] ?? missing();
  const by = query.get('by') ?? tab.by;
  const compare = query.get('compare') !== '0';
  const interval = query.get('interval') ?? chooseChartInterval(span);
  const percentile = query.get('p') ?? 'p95';
  const filter = toFilterTokens(query, ANALYTICS_FILTER_FIELDS);
  const time = toTimeRangeParameters(span);
  const tz = query.get('tz');
  const timezone = resolveTimeZone(tz);
  const which = {
    ...time,
    ...(timezone && { timezone }),
    ...toMultiValueFilterQuery(filter),
  };
  const against = compare ? { compare: 'previous' } : {};
  const metric = tab.metric(percentile);
  return {
    ...{ span, tab, by, compare, interval, percentile, filter, time, tz },
    asked: {
      sum: buildMetricSummaryQuery({ ...which, ...against }),
      series: buildMetricTimeseriesQuery({ ...which, metric, interval, group_by: by, limit: 7 }),
      groups: buildMetricGroupsQuery({ ...which, ...against, by, metric: tab.sum, limit: MAX_METRIC_GROUPS }),
      before: buildMetricTimeseriesQuery({ ...which, ...against, metric, interval }),
    },
  };
}

/** Starts the queries of the page before it is rendered. */
export const prefetchAnalytics: PageQueryPrefetcher = (client, { query }) => {
  const { asked, compare, time } = parseAnalyticsUrl(query);
  void client.prefetchQuery(asked.sum);
  void client.prefetchQuery(asked.series);
  void client.prefetchQuery(asked.groups);
  if (compare) void client.prefetchQuery(asked.before);
  void client.prefetchQuery(buildAnnotationsQuery(time));
};

function missing(): never {
  throw new Error('METRIC_TABS must not be empty.');
}
