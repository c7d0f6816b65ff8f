import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { useAnnotations } from '../../data/annotations.ts';
import { type SelectedTimeRange, timeRangeQuery } from '../../filters/time-range.ts';
import { formatCount, formatDuration, formatMoney, formatPercent } from '../../format/amounts.ts';
import { StatCard } from '../../ui/cards.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { Timeline } from '../../ui/timeline.tsx';
import { type Filters, outcomesQuery, summaryQuery } from './request-data.ts';
import { lanesOf } from './request-lanes.ts';

const MarkLine = lazy(() =>
  import('../../ui/annotation-list.tsx').then(({ AnnotationLine: Part }) => ({ default: Part })),
);

/** What the list adds up to, and when, by outcome. */
export function RequestFigures({
  filters,
  span,
  onZoom,
}: {
  readonly filters: Filters;
  readonly span: SelectedTimeRange;
  readonly onZoom: (from: Date, to: Date) => void;
}) {
  const { data: summary, error } = useQuery(summaryQuery(filters));
  const outcomes = useQuery(outcomesQuery(filters, span)).data;
  const lanes = useMemo(() => lanesOf(outcomes), [outcomes]);
  const marks = useAnnotations(timeRangeQuery(span));
  // Too many rows to count with these filters: the API says so, and the list goes on without figures.
  if (error && !summary) return <Notice state="unknown">{error.message}</Notice>;
  const step = (lanes[1]?.at ?? 0) - (lanes[0]?.at ?? 0) || 60_000;
  const said = (of: (figures: NonNullable<typeof summary>) => string) => (summary ? of(summary) : '–');
  // Places that no figure moves, whether it is there yet, or grows: the rows below stay where they are.
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(5.5rem,max-content))] gap-x-6 gap-y-2 md:gap-x-8">
        <StatCard label="Requests" value={said((figures) => formatCount(figures.requests))} />
        <StatCard
          label="Errors"
          value={said((figures) =>
            figures.upstream_requests === 0 ? '–' : formatPercent(figures.errors / figures.upstream_requests),
          )}
        />
        <StatCard label="Latency p95" value={said((figures) => formatDuration(figures.latency_ms.p95))} />
        <StatCard
          label="First token p50"
          value={said((figures) => formatDuration(figures.first_token_ms.p50))}
        />
        <StatCard label="Spend" value={said((figures) => formatMoney(figures.cost_nano_usd))} />
      </div>
      <div className="min-h-32 min-w-0">
        {lanes.length > 0 && summary && (
          <Timeline
            lanes={lanes}
            label={`${formatCount(summary.requests)} requests by outcome`}
            onChoose={(at) => onZoom(new Date(at), new Date(at + step))}
            marks={marks}
          />
        )}
      </div>
      <div className="h-6 min-w-0">
        {marks.length > 0 && (
          <Suspense>
            <MarkLine marks={marks} />
          </Suspense>
        )}
      </div>
    </div>
  );
}
