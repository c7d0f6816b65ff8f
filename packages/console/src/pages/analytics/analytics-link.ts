import type { PrefetchQueries } from '../../app/page-route.ts';
import { annotationsListQuery } from '../../data/annotations.ts';
import { filterValues, toFilterTokens } from '../../filters/filter-text.ts';
import { chartIntervalOf, timeRangeQuery } from '../../filters/time-range.ts';
import { timeRangeOfUrl } from '../../filters/url-time-range.ts';
import { CHART_FIELDS, groupsQuery, summaryQuery, TABS, timeseriesQuery } from './analytics-data.ts';
import { zoneOf } from './zone-choice.tsx';

/** What a link shows, and the questions it stands for. */
export function analyticsOf(query: URLSearchParams) {
  const link = `analytics ${query.get('range')} ${query.get('from')} ${query.get('to')}`;
  const span = timeRangeOfUrl(link, query, '30d');
  const tab = TABS.find(({ id }) => id === query.get('metric')) ?? TABS[0] ?? missing();
  const by = query.get('by') ?? tab.by;
  const compare = query.get('compare') !== '0';
  const interval = query.get('interval') ?? chartIntervalOf(span);
  const percentile = query.get('p') ?? 'p95';
  const filter = toFilterTokens(query, CHART_FIELDS);
  const time = timeRangeQuery(span);
  const tz = query.get('tz');
  const timezone = zoneOf(tz);
  const which = {
    ...time,
    ...(timezone && { timezone }),
    ...filterValues(filter),
  };
  const against = compare ? { compare: 'previous' } : {};
  const metric = tab.metric(percentile);
  return {
    ...{ span, tab, by, compare, interval, percentile, filter, time, tz },
    asked: {
      sum: summaryQuery({ ...which, ...against }),
      series: timeseriesQuery({ ...which, metric, interval, group_by: by, limit: 7 }),
      groups: groupsQuery({ ...which, ...against, by, metric: tab.sum, limit: 100 }),
      before: timeseriesQuery({ ...which, ...against, metric, interval }),
    },
  };
}

/** What the page of a link will read. */
export const askAnalytics: PrefetchQueries = (client, { query }) => {
  const { asked, compare, time } = analyticsOf(query);
  void client.prefetchQuery(asked.sum);
  void client.prefetchQuery(asked.series);
  void client.prefetchQuery(asked.groups);
  if (compare) void client.prefetchQuery(asked.before);
  void client.prefetchQuery(annotationsListQuery(time));
};

function missing(): never {
  throw new Error('There is no metric.');
}
