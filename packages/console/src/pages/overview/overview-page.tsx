import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import type { PageQueryPrefetcher } from '../../app/page-route.ts';
import { useOrgId, useUrlState } from '../../app/url-state.ts';
import { buildAnnotationsQuery } from '../../data/annotations.ts';
import { gapsQuery } from '../../data/gaps.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { selectQueryParameters } from '../../filters/select-query-parameters.ts';
import { type SelectedTimeRange, toTimeRangeParameters } from '../../filters/time-range.ts';
import { resolveUrlTimeRange } from '../../filters/url-time-range.ts';
import { formatShortDate, getBrowserTimeZone } from '../../format/times.ts';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { TimeRangePicker } from '../../ui/time-range-picker.tsx';
import { AttentionList } from './attention-list.tsx';
import { OverviewCharts } from './overview-charts.tsx';
import { buildOverviewQueries, buildOverviewQuery } from './overview-data.ts';
import { OverviewLists } from './overview-lists.tsx';
import { SetupGuide } from './setup-guide.tsx';
import { SetupGuideLink } from './setup-guide-link.tsx';
import { prefetchSetupGuide, useSetupGuide } from './setup-guide-state.ts';
import { overviewText } from './text.ts';

/**
 * Shows what needs attention and the totals of a time range. For a new organization, shows the setup guide
 * instead.
 */
export function OverviewPage() {
  const { query, change } = useUrlState();
  const guide = useSetupGuide(query.get('guide'));
  const time = timeParameters(query);
  const span = useMemo(() => parseTimeRange(time), [time]);
  const { data, error, refetch } = useQuery(buildOverviewQuery(span));
  usePrefetchParts(span, !guide.isOpen);
  const navigate = useNavigate();
  const org = useOrgId();
  useRefetchOnEvent('monitors', ['overview']);
  useRefetchOnEvent('breakers', ['overview']);
  useRefetchOnEvent('budgets', ['overview']);
  useRefetchOnEvent('config', ['overview']);
  const choose = (from: Date, to: Date) =>
    void navigate({
      to: `/o/${org}/requests`,
      search: { from: from.toISOString(), to: to.toISOString() },
    });
  const closeGuide = () => change({ guide: '0' }, 'replace');
  if (guide.isOpen)
    return (
      <PageFrame title={overviewText.page.title}>
        <SetupGuide guide={guide} onClose={closeGuide} />
      </PageFrame>
    );
  return (
    <PageFrame
      title={overviewText.page.title}
      actions={<TimeRangePicker span={span} isRolling onChange={(choice) => change({ ...choice })} />}
    >
      {error && !data ? (
        <ErrorState what={overviewText.page.loadFailed} error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <div className="grid gap-4">
          <SetupGuideLink guide={guide} onOpen={() => change({ guide: '1' })} />
          <AttentionList attention={data.attention} more={data.has_more} />
          {data.summary.retained_from > span.from.toISOString() && (
            <Notice state="partial">
              {overviewText.page.retention(
                formatShortDate(new Date(data.summary.retained_from), getBrowserTimeZone(), new Date()),
              )}
            </Notice>
          )}
          <OverviewCharts span={span} sum={data.summary} onChoose={choose} />
          <OverviewLists span={span} overview={data} />
        </div>
      ) : (
        <OverviewSkeleton />
      )}
    </PageFrame>
  );
}

/** Starts the queries of the charts without waiting for the response of the overview. */
function usePrefetchParts(span: SelectedTimeRange, on: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (on) prefetchParts(client, span);
  }, [client, span, on]);
}

function prefetchParts(client: QueryClient, span: SelectedTimeRange): void {
  const { series, tops, changes } = buildOverviewQueries(span);
  for (const one of series) void client.prefetchQuery(one);
  for (const one of tops) void client.prefetchQuery(one);
  void client.prefetchQuery(changes);
}

function timeParameters(query: URLSearchParams): string {
  return selectQueryParameters(query, (name) => ['range', 'from', 'to'].includes(name));
}

function parseTimeRange(time: string): SelectedTimeRange {
  return resolveUrlTimeRange(`overview ${time}`, new URLSearchParams(time));
}

/** Starts the queries of the page before it is rendered. */
export const prefetchOverview: PageQueryPrefetcher = (client, { query }) => {
  const span = parseTimeRange(timeParameters(query));
  const isGuideAsked = query.get('guide') === '1';
  void prefetchSetupGuide(client, isGuideAsked);
  void client.prefetchQuery(buildOverviewQuery(span));
  if (isGuideAsked) return;
  prefetchParts(client, span);
  void client.prefetchQuery(buildAnnotationsQuery(toTimeRangeParameters(span)));
  void client.prefetchQuery(gapsQuery);
};

function OverviewSkeleton() {
  return (
    <div role="status" aria-label={overviewText.page.loading} className="grid gap-4 xl:grid-cols-2">
      <Skeleton className="h-10 xl:col-span-2" />
      {[1, 2, 3, 4].map((card) => (
        <Skeleton key={card} className="h-56" />
      ))}
    </div>
  );
}
