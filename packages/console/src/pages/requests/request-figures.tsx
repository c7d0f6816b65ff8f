import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { useAnnotations } from '../../data/annotations.ts';
import type { ChartSummary } from '../../data/charts.ts';
import { type SelectedTimeRange, toTimeRangeParameters } from '../../filters/time-range.ts';
import { formatCount, formatDuration, formatMoney, formatPercent } from '../../format/amounts.ts';
import { Notice } from '../../ui/feedback.tsx';
import { Timeline } from '../../ui/timeline.tsx';
import { type RequestFilters, requestOutcomesQuery, requestSummaryQuery } from './request-data.ts';
import { RequestFiguresLayout, type RequestFigureTexts } from './request-figures-layout.tsx';
import { toOutcomeLanes } from './request-lanes.ts';
import { requestsText } from './text.ts';

const MarkLine = lazy(() =>
  import('../../ui/annotation-list.tsx').then(({ LatestAnnotation: Part }) => ({ default: Part })),
);

/** Shows the totals of the list and a chart of the requests by outcome. */
export function RequestFigures({
  filters,
  span,
  onZoom,
}: {
  readonly filters: RequestFilters;
  readonly span: SelectedTimeRange;
  readonly onZoom: (from: Date, to: Date) => void;
}) {
  const { data: summary, error } = useQuery(requestSummaryQuery(filters));
  const outcomes = useQuery(requestOutcomesQuery(filters, span)).data;
  const lanes = useMemo(() => toOutcomeLanes(outcomes), [outcomes]);
  const marks = useAnnotations(toTimeRangeParameters(span));
  const step = (lanes[1]?.at ?? 0) - (lanes[0]?.at ?? 0) || 60_000;
  return (
    <RequestFiguresLayout
      texts={summary && textsOf(summary)}
      chart={
        error && !summary ? (
          // Too many rows match to be counted. The API returns an error, and the list is shown without
          // totals.
          <Notice state="unknown">{error.message}</Notice>
        ) : (
          lanes.length > 0 &&
          summary && (
            <Timeline
              lanes={lanes}
              label={requestsText.figures.byOutcome(summary.requests)}
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

function textsOf(figures: ChartSummary): RequestFigureTexts {
  const { requests, errors, upstream_requests, latency_ms, first_token_ms, cost_nano_usd } = figures;
  return {
    requests: formatCount(requests),
    errors: upstream_requests === 0 ? '–' : formatPercent(errors / upstream_requests),
    latency: formatDuration(latency_ms.p95),
    firstToken: formatDuration(first_token_ms.p50),
    spend: formatMoney(cost_nano_usd),
  };
}
