import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { UrlParameterChanges } from '../../app/url-state.ts';
import type { AnalyticsTotals, Timeseries } from '../../data/analytics-queries.ts';
import type { ChartAnnotation } from '../../data/chart-annotation.ts';
import { formatCount, formatDuration, formatMoney, formatPercent } from '../../format/amounts.ts';
import { formatShortDate, getBrowserTimeZone } from '../../format/times.ts';
import { AnnotationList } from '../../ui/annotation-list.tsx';
import { PreviousPeriodChange } from '../../ui/cards.tsx';
import { Chart, type PlottedSeries } from '../../ui/chart.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import type { MetricTab } from './analytics-data.ts';
import {
  computeRelativeChange,
  formatCostPerProviderRequest,
  getMissingValueLabel,
} from './metric-groups.ts';
import { analyticsText } from './text.ts';
import { useLatestComplete } from './use-latest-complete.ts';

interface ChartInput {
  readonly tab: MetricTab;
  readonly percentile: string;
  readonly by: string;
  readonly compare: boolean;
  readonly change: (changes: UrlParameterChanges) => void;
  readonly sum: UseQueryResult<AnalyticsTotals>;
  readonly series: UseQueryResult<Timeseries>;
  readonly before: UseQueryResult<Timeseries>;
  readonly marks: readonly ChartAnnotation[];
  readonly interval: string;
}

/** Shows the total of the selected metric and a chart of its groups over time. */
export function AnalyticsChart({ page }: { readonly page: ChartInput }) {
  const { tab, by, change, series, sum, before, compare, marks, interval } = page;
  // While another selection loads, the queries return the data of the previous one.
  const data = series.isPlaceholderData ? undefined : series.data;
  const old = compare && !before.isPlaceholderData ? before.data?.previous : undefined;
  const current = useMemo(
    () => (data ? { ...plot(data, { by, label: tab.label, old }), tab, interval, data } : null),
    [by, data, old, tab, interval],
  );
  const drawn = useLatestComplete(current);
  const zone = drawn?.data.timezone ?? getBrowserTimeZone();
  if (series.error && !series.data)
    return (
      <ErrorState
        what={analyticsText.chart.loadFailed}
        error={series.error}
        onRetry={() => void series.refetch()}
      />
    );
  return (
    <section aria-label={tab.label} className="rounded-card border border-line bg-surface p-4">
      {sum.data && (
        <div className={joinClassNames(sum.isPlaceholderData && 'stale')}>
          <Headline page={page} sum={sum.data} />
        </div>
      )}
      <div className={joinClassNames('mt-3', current === null && drawn !== null && 'stale')}>
        {drawn ? (
          <Chart
            label={analyticsText.chart.label(drawn.tab.label)}
            at={drawn.at}
            series={drawn.series}
            kind={drawn.tab.adds ? 'stacked' : 'lines'}
            format={drawn.tab.format}
            height={240}
            marks={marks}
            zone={zone}
            isDaily={drawn.interval === 'day'}
            until={Date.parse(drawn.data.to)}
            onZoom={(from, to) =>
              change({ range: null, interval: null, from: from.toISOString(), to: to.toISOString() })
            }
          />
        ) : (
          <Skeleton className="h-60" />
        )}
      </div>
      <AnnotationList marks={marks} zone={zone} />
    </section>
  );
}

interface PlotOptions {
  readonly by: string;
  readonly label: string;
  readonly old: Timeseries['previous'] | undefined;
}

/** Returns one series per group, and the previous period as a dashed line. */
function plot(data: Timeseries, { by, label, old }: PlotOptions) {
  const parts = data.series.map(
    ({ value, name, other, values }): PlottedSeries => ({
      label: other ? analyticsText.other : (name ?? value ?? getMissingValueLabel(by)),
      values,
    }),
  );
  const values = old?.series[0]?.values;
  const dashed = values && {
    label: analyticsText.chart.previous,
    compare: true,
    values: data.at.map((_, index) => values[index] ?? null),
  };
  return {
    at: data.at.map((at) => Date.parse(at)),
    series: [
      ...(parts.length === 0 ? [{ label, values: data.at.map(() => 0) }] : parts),
      ...(dashed ? [dashed] : []),
    ],
  };
}

function Headline({ page, sum }: { readonly page: ChartInput; readonly sum: AnalyticsTotals }) {
  const { tab } = page;
  const previous = sum.previous;
  if (!tab.adds) {
    const figures = tab.id === 'latency' ? sum.latency_ms : sum.first_token_ms;
    return (
      <div className="flex flex-wrap gap-x-9 gap-y-2">
        <StatCard label={analyticsText.chart.p50} value={formatDuration(figures.p50)} />
        <StatCard label={analyticsText.chart.p95} value={formatDuration(figures.p95)} />
        <StatCard label={analyticsText.chart.p99} value={formatDuration(figures.p99)} />
      </div>
    );
  }
  const ratio = computeRelativeChange(sum[tab.sum], previous?.[tab.sum]);
  return (
    <div className="flex flex-wrap gap-x-9 gap-y-2">
      <StatCard
        label={tab.id === 'cache' ? analyticsText.metrics.requests : tab.label}
        value={tab.sum === 'cost_nano_usd' ? formatMoney(sum.cost_nano_usd) : formatCount(sum[tab.sum])}
        delta={
          <PreviousPeriodChange
            ratio={ratio}
            text={ratio === null ? '' : formatPercent(Math.abs(ratio))}
            worse={tab.worse ?? false}
          />
        }
        remark={previous && previousText(previous, sum.timezone, tab.format(previous[tab.sum]))}
      />
      {tab.id === 'spend' && (
        <StatCard label={analyticsText.chart.costPerRequest} value={formatCostPerProviderRequest(sum)} />
      )}
      {tab.id === 'errors' && (
        <StatCard
          label={analyticsText.chart.errorRate}
          value={formatPercent(sum.errors / Math.max(sum.upstream_requests, 1))}
        />
      )}
    </div>
  );
}

/**
 * Describes an interval of the previous period, as in `23 Sep–22 Oct: $12`. The last day is the day in
 * which the interval ends.
 */
function previousText(
  { from, to }: { readonly from: string; readonly to: string },
  zone: string,
  value: string,
) {
  const now = new Date();
  const [first, last] = [new Date(from), new Date(Date.parse(to) - 1)];
  return analyticsText.chart.previousValue(
    formatShortDate(first, zone, now),
    formatShortDate(last, zone, now),
    value,
  );
}
