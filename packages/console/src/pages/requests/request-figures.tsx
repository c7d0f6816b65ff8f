import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useMarks } from '../../data/marks.ts';
import type { TimeSpan } from '../../filters/time-range.ts';
import { count, duration, money, percent } from '../../format/amounts.ts';
import { StatCard } from '../../ui/facts.tsx';
import { Lanes } from '../../ui/lanes.tsx';
import { apiFilters, countsQuery, summaryQuery } from './request-data.ts';
import { lanesOf } from './request-lanes.ts';

const MarkList = lazy(() =>
  import('../../ui/mark-list.tsx').then(({ MarkList: Part }) => ({ default: Part })),
);

/** What the list adds up to, and when: volume above the line, what was not OK below it. */
export function RequestFigures({
  filters,
  span,
  onZoom,
}: {
  readonly filters: Readonly<Record<string, string>>;
  readonly span: TimeSpan;
  readonly onZoom: (from: Date, to: Date) => void;
}) {
  const summary = useQuery(summaryQuery(filters)).data;
  const requests = useQuery(countsQuery('requests', filters, span)).data;
  const errors = useQuery(countsQuery('errors', filters, span)).data;
  const lanes = lanesOf(requests, errors);
  const marks = useMarks(apiFilters([], span));
  // Sums know fewer filters than the list: nothing is shown rather than figures of other rows.
  if (!summary) return null;
  const step = (lanes[1]?.at ?? 0) - (lanes[0]?.at ?? 0) || 60_000;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-x-9 gap-y-2">
        <StatCard label="Requests" value={count(summary.requests)} />
        <StatCard
          label="Errors"
          value={summary.requests === 0 ? '–' : percent(summary.errors / summary.requests)}
        />
        <StatCard label="Latency p95" value={duration(summary.latency_ms.p95)} />
        <StatCard label="First token p50" value={duration(summary.first_token_ms.p50)} />
        <StatCard label="Spend" value={money(summary.cost_nano_usd)} />
      </div>
      {lanes.length > 0 && (
        <Lanes
          lanes={lanes}
          label={`${count(summary.requests)} requests, ${count(summary.errors)} of them not OK`}
          onChoose={(at) => onZoom(new Date(at), new Date(at + step))}
          marks={marks}
        />
      )}
      {lanes.length > 0 && marks.length > 0 && (
        <Suspense>
          <MarkList marks={marks} />
        </Suspense>
      )}
    </div>
  );
}
