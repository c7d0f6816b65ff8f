import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import type { AnalyticsTotals } from '../../data/analytics-queries.ts';
import { useAnnotations } from '../../data/use-annotations.ts';
import { type SelectedTimeRange, toTimeRangeParameters } from '../../filters/time-range.ts';
import { formatCount, formatDuration, formatMoney, formatPercent } from '../../format/amounts.ts';
import { Notice } from '../../ui/feedback.tsx';
import { RequestTimeline } from '../../ui/request-timeline.tsx';
import { buildRequestOutcomesQuery, buildRequestSummaryQuery, type RequestFilters } from './request-data.ts';
import { requestListMenusText } from './request-list-menus-text.ts';
import { RequestTotalsLayout, type RequestTotalTexts } from './request-totals-layout.tsx';
import { toTimelineIntervals } from './timeline-intervals.ts';

const MarkLine = lazy(() =>
  import('../../ui/annotation-list.tsx').then(({ LatestAnnotation: Part }) => ({ default: Part })),
);

/** Shows the totals of the list and a chart of the requests by outcome. */
export function RequestTotals({
  filters,
  span,
  onZoom,
}: {
  readonly filters: RequestFilters;
  readonly span: SelectedTimeRange;
  readonly onZoom: (from: Date, to: Date) => void;
}) {
  const { data: summary, error } = useQuery(buildRequestSummaryQuery(filters, span));
  const outcomes = useQuery(buildRequestOutcomesQuery(filters, span)).data;
  const intervals = useMemo(() => toTimelineIntervals(outcomes), [outcomes]);
  const marks = useAnnotations(toTimeRangeParameters(span));
  const step = (intervals[1]?.at ?? 0) - (intervals[0]?.at ?? 0) || 60_000;
  return (
    <RequestTotalsLayout
      texts={summary && textsOf(summary)}
      chart={
        error && !summary ? (
          // Too many rows match to be counted. The API returns an error, and the list is shown without
          // totals.
          <Notice state="unknown">{error.message}</Notice>
        ) : (
          intervals.length > 0 &&
          summary && (
            <RequestTimeline
              intervals={intervals}
              label={requestListMenusText.chart.byOutcome(summary.requests)}
              onChoose={(at) => onZoom(new Date(at), new Date(at + step))}
              marks={marks}
            />
          )
        )
      }
      marks={
        marks.length > 0 && (
          <Suspense>
            <MarkLine marks={marks} />
          </Suspense>
        )
      }
    />
  );
}

function textsOf(figures: AnalyticsTotals): RequestTotalTexts {
  const { requests, errors, upstream_requests, latency_ms, first_token_ms, cost_nano_usd } = figures;
  return {
    requests: formatCount(requests),
    errors: upstream_requests === 0 ? '–' : formatPercent(errors / upstream_requests),
    latency: formatDuration(latency_ms.p95),
    firstToken: formatDuration(first_token_ms.p50),
    spend: formatMoney(cost_nano_usd),
  };
}
