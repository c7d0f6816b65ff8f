import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import type { Timeseries } from '../../data/analytics-queries.ts';
import { useAnnotations } from '../../data/use-annotations.ts';
import { type SelectedTimeRange, toTimeRangeParameters } from '../../filters/time-range.ts';
import {
  formatCompactNumber,
  formatCount,
  formatDuration,
  formatMoney,
  formatPercent,
} from '../../format/amounts.ts';
import { Card, PreviousPeriodChange } from '../../ui/cards.tsx';
import { Chart, type PlottedSeries } from '../../ui/chart.tsx';
import { Skeleton } from '../../ui/feedback.tsx';
import { RequestTimeline } from '../../ui/request-timeline.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { computeRelativeChange } from '../analytics/metric-groups.ts';
import { useLatestComplete } from '../analytics/use-latest-complete.ts';
import { toTimelineIntervals } from '../requests/timeline-intervals.ts';
import { FailedPart, hasFailed } from './failed-part.tsx';
import { buildOverviewTimeseriesQuery, GROUP_BY_OUTCOME, type Overview } from './overview-data.ts';
import { overviewText } from './text.ts';

const AnnotationListPart = lazy(() =>
  import('../../ui/annotation-list.tsx').then(({ AnnotationList: Part }) => ({ default: Part })),
);

/**
 * Shows charts of requests, spend and latency, compared with the previous period. A click on an interval
 * opens its requests.
 */
export function OverviewCharts(props: Props) {
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <RequestsCard {...props} />
      <SpendCard {...props} />
      <PercentilesCard {...props} title={overviewText.charts.latency} metric="latency" />
      <PercentilesCard {...props} title={overviewText.charts.firstToken} metric="first_token" />
    </div>
  );
}

interface Props {
  readonly span: SelectedTimeRange;
  readonly sum: Overview['summary'];
  readonly onChoose: (from: Date, to: Date) => void;
}

function RequestsCard({ span, sum, onChoose }: Props) {
  const query = useQuery(buildOverviewTimeseriesQuery('requests', span, GROUP_BY_OUTCOME));
  const intervals = useMemo(() => toTimelineIntervals(query.data), [query.data]);
  const marks = useAnnotations(toTimeRangeParameters(span));
  const step = (intervals[1]?.at ?? 0) - (intervals[0]?.at ?? 0) || 60_000;
  return (
    <Card
      title={overviewText.charts.requests}
      aside={<ComparisonNote span={span} before={sum.previous?.requests} />}
    >
      <div className="mb-4 flex gap-9">
        <StatCard
          label={overviewText.charts.requests}
          value={formatCount(sum.requests)}
          delta={<ChangeRatio now={sum.requests} before={sum.previous?.requests} />}
        />
        <StatCard
          label={overviewText.charts.errors}
          value={sum.upstream_requests > 0 ? formatPercent(sum.errors / sum.upstream_requests) : '–'}
          remark={
            sum.errors > 0 ? overviewText.charts.failedRequests(sum.errors, sum.upstream_requests) : null
          }
        />
      </div>
      {hasFailed([query]) ? (
        <FailedPart what={overviewText.charts.loadFailed} queries={[query]} />
      ) : intervals.length === 0 ? (
        <Skeleton className="h-24" />
      ) : (
        <RequestTimeline
          intervals={intervals}
          label={overviewText.charts.byOutcome(sum.requests)}
          onChoose={(at) => onChoose(new Date(at), new Date(at + step))}
          marks={marks}
        />
      )}
      {marks.length > 0 && (
        <Suspense>
          <AnnotationListPart marks={marks} />
        </Suspense>
      )}
    </Card>
  );
}

function SpendCard({ span, sum, onChoose }: Props) {
  const query = useQuery(buildOverviewTimeseriesQuery('cost_nano_usd', span, { compare: 'previous' }));
  const drawn = useSpendLines(query.data, overviewText.charts.spend);
  return (
    <Card
      title={overviewText.charts.spend}
      aside={<ComparisonNote span={span} before={sum.previous?.cost_nano_usd} />}
    >
      <StatCard
        label={overviewText.charts.spend}
        value={formatMoney(sum.cost_nano_usd)}
        delta={<ChangeRatio now={sum.cost_nano_usd} before={sum.previous?.cost_nano_usd} />}
      />
      <ZoomableChart
        queries={[query]}
        drawn={drawn}
        label={overviewText.charts.overTime(overviewText.charts.spend)}
        format={formatMoney}
        span={span}
        onChoose={onChoose}
      />
    </Card>
  );
}

function PercentilesCard({
  span,
  sum,
  title,
  metric,
  onChoose,
}: Props & { readonly title: string; readonly metric: 'latency' | 'first_token' }) {
  const half = useQuery(buildOverviewTimeseriesQuery(`${metric}_p50_ms`, span));
  const most = useQuery(buildOverviewTimeseriesQuery(`${metric}_p95_ms`, span));
  // After a change of the time range, each query returns the old data until its own response arrives.
  const isLoading = half.isPlaceholderData || most.isPlaceholderData;
  const current = useMemo(
    () =>
      isLoading
        ? null
        : combineLines([half.data, overviewText.charts.p50], [most.data, overviewText.charts.p95]),
    [half.data, most.data, isLoading],
  );
  const drawn = useLatestComplete(current);
  const figures = metric === 'latency' ? sum.latency_ms : sum.first_token_ms;
  return (
    <Card title={title}>
      <div className="flex gap-9">
        <StatCard label={overviewText.charts.p50} value={formatDuration(figures.p50)} />
        <StatCard label={overviewText.charts.p95} value={formatDuration(figures.p95)} />
      </div>
      <ZoomableChart
        queries={[half, most]}
        drawn={drawn}
        label={overviewText.charts.overTime(title)}
        format={formatDuration}
        span={span}
        onChoose={onChoose}
      />
    </Card>
  );
}

interface ChartLines {
  readonly at: readonly number[];
  readonly series: readonly PlottedSeries[];
}

function ZoomableChart({
  queries,
  drawn,
  label,
  format,
  span,
  onChoose,
}: {
  /** The queries for the lines. */
  readonly queries: Parameters<typeof hasFailed>[0];
  readonly drawn: ChartLines | null;
  readonly span: SelectedTimeRange;
  readonly label: string;
  readonly format: (value: number) => string;
  readonly onChoose: Props['onChoose'];
}) {
  const marks = useAnnotations(toTimeRangeParameters(span));
  if (hasFailed(queries)) return <FailedPart what={overviewText.charts.loadFailed} queries={queries} />;
  if (!drawn) return <Skeleton className="mt-3 h-36" />;
  return (
    <div className="mt-3">
      <Chart
        label={label}
        at={drawn.at}
        series={drawn.series}
        format={format}
        height={140}
        onZoom={onChoose}
        marks={marks}
      />
    </div>
  );
}

function useSpendLines(data: Timeseries | undefined, label: string): ChartLines | null {
  return useMemo(() => {
    if (!data) return null;
    const before = data.previous?.series[0]?.values;
    return {
      at: data.at.map((at) => Date.parse(at)),
      series: [
        { label, values: data.series[0]?.values ?? data.at.map(() => 0) },
        // The previous period can have one interval more or less because its start and end are rounded.
        ...(before
          ? [
              {
                label: overviewText.charts.previous,
                compare: true,
                values: data.at.map((_, at) => before[at] ?? null),
              },
            ]
          : []),
      ],
    };
  }, [data, label]);
}

function combineLines(...parts: readonly (readonly [Timeseries | undefined, string])[]): ChartLines | null {
  const first = parts[0]?.[0];
  if (!first || parts.some(([data]) => data === undefined)) return null;
  return {
    at: first.at.map((at) => Date.parse(at)),
    series: parts.map(([data, label]) => ({
      label,
      values: first.at.map((_, at) => data?.series[0]?.values[at] ?? null),
    })),
  };
}

function ChangeRatio({
  now,
  before,
}: {
  readonly now: number | undefined;
  readonly before: number | undefined;
}) {
  const ratio = computeRelativeChange(now, before);
  return <PreviousPeriodChange ratio={ratio} text={ratio === null ? '' : formatPercent(Math.abs(ratio))} />;
}

/** Shows the period that the change refers to. Renders nothing if there is no previous value. */
function ComparisonNote({
  span,
  before,
}: {
  readonly span: SelectedTimeRange;
  readonly before: number | undefined;
}) {
  if (!before) return null;
  const hours = (span.to.getTime() - span.from.getTime()) / 3_600_000;
  return overviewText.charts.comparison(
    hours < 48 ? `${formatCompactNumber(Math.round(hours))} h` : `${Math.round(hours / 24)} d`,
  );
}
