import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Download, Link2 } from 'lucide-react';
import { useMemo } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { useAnnotations } from '../../data/use-annotations.ts';
import { toFilterTokens } from '../../filters/filter-text.ts';
import { toExactFilterValue } from '../../filters/filter-value.ts';
import { chooseChartInterval, toTimeRangeLinkParameters } from '../../filters/time-range.ts';
import {
  formatShortDate,
  formatShortTime,
  formatTimeZoneName,
  getBrowserTimeZone,
} from '../../format/times.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { copyText } from '../../ui/copy-button.tsx';
import { EmptyState, ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { Select } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { TimeRangePicker } from '../../ui/time-range-picker.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AnalyticsChart } from './analytics-chart.tsx';
import {
  ANALYTICS_FILTER_FIELDS,
  GROUP_DIMENSIONS,
  METRIC_TABS,
  toRequestListParameters,
} from './analytics-data.ts';
import { parseAnalyticsUrl } from './analytics-url.ts';
import { MetricGroupTable } from './metric-group-table.tsx';
import { formatMetricGroupsCsv, toMetricGroupRows } from './metric-groups.ts';
import { analyticsText } from './text.ts';
import { TimeZoneSelect } from './time-zone-select.tsx';
import { useLatestComplete } from './use-latest-complete.ts';

export { prefetchAnalytics } from './analytics-url.ts';

const PERCENTILES = ['p50', 'p95', 'p99'].map((id) => ({ id, label: id }));
const INTERVALS = (['minute', 'hour', 'day'] as const).map((id) => ({
  id,
  label: analyticsText.controls.intervals[id],
}));

/** Shows spend, tokens, errors and latency by any dimension, compared with the previous period. */
export function AnalyticsPage() {
  const page = useAnalytics();
  const { history } = useRouter();
  const { span, change, filter, sum } = page;
  return (
    <PageFrame title={analyticsText.page.title} padded={false} actions={<Toolbar page={page} />}>
      <MetricTabs page={page} />
      <div className="grid gap-4 px-4 py-3 md:px-6">
        <FilterBar
          fields={ANALYTICS_FILTER_FIELDS}
          tokens={filter}
          onAdd={(token) => {
            // Read from the history, because several pasted filters follow each other before the next rendering.
            const current = new URLSearchParams(history.location.search);
            const old = toFilterTokens(current, ANALYTICS_FILTER_FIELDS);
            change({ ...clearFilters(old), [token.name]: token.value });
          }}
          onRemove={(name) => change({ [name]: null })}
          placeholder={analyticsText.page.filterPlaceholder}
        />
        {sum.error && !sum.data ? (
          <ErrorState
            what={analyticsText.page.loadFailed}
            error={sum.error}
            onRetry={() => void sum.refetch()}
          />
        ) : !sum.data ? (
          <Skeleton className="h-64" />
        ) : sum.data.requests === 0 ? (
          <EmptyState
            title={filter.length > 0 ? analyticsText.empty.filteredTitle : analyticsText.empty.title}
            action={
              <>
                <Button onClick={() => change({ range: '90d', from: null, to: null })}>
                  {analyticsText.empty.widen}
                </Button>
                <OrgLink to="/playground" needs="playground">
                  {analyticsText.empty.send}
                </OrgLink>
              </>
            }
          >
            {filter.length > 0 ? analyticsText.empty.filteredBody : analyticsText.empty.body}
          </EmptyState>
        ) : (
          <MetricBreakdown page={page} />
        )}
        <p className="flex flex-wrap gap-x-4 text-small text-ink-3">
          {sum.data && <CompleteUntil at={sum.data.complete_until} />}
          {sum.data && <span>{analyticsText.notes.timezone(sum.data.timezone)}</span>}
          <OrgLink to="/requests" search={toRequestListParameters(filter, toTimeRangeLinkParameters(span))}>
            {analyticsText.page.openRequests}
          </OrgLink>
          {span.range !== null && <span>{analyticsText.page.refresh}</span>}
        </p>
      </div>
    </PageFrame>
  );
}

type Analytics = ReturnType<typeof useAnalytics>;

function MetricTabs({ page }: { readonly page: Analytics }) {
  const { tab, change } = page;
  return (
    <nav
      aria-label={analyticsText.page.metrics}
      className="flex gap-1 overflow-x-auto border-b border-line px-4 md:px-6"
    >
      {METRIC_TABS.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          aria-current={id === tab.id ? 'true' : undefined}
          onClick={() => change({ metric: id === 'spend' ? null : id, by: null })}
          className={joinClassNames(
            '-mb-px flex h-10 shrink-0 items-center border-b-2 px-2 text-ui font-medium -outline-offset-2',
            id === tab.id ? 'border-accent text-ink' : 'border-transparent text-ink-2 hover:text-ink',
          )}
        >
          {label}
        </button>
      ))}
    </nav>
  );
}

function useAnalytics() {
  const { query, change } = useUrlState();
  const { asked, ...shown } = parseAnalyticsUrl(query);
  const sum = useQuery(asked.sum);
  const series = useQuery(asked.series);
  const groups = useQuery(asked.groups);
  const before = useQuery({ ...asked.before, enabled: shown.compare });
  const marks = useAnnotations(shown.time);
  const { by, tab } = shown;
  // While another selection loads, the queries return the data of the previous one, and not all at the same time.
  const isLoading = [sum, groups, series].some(({ isPlaceholderData }) => isPlaceholderData);
  const table = useMemo(() => {
    if (!groups.data || !sum.data || isLoading) return null;
    const rows = toMetricGroupRows(by, groups.data.data, sum.data, tab.sum);
    return { by, tab, rows, total: sum.data, series: series.data?.series ?? [] };
  }, [by, tab, groups.data, sum.data, series.data, isLoading]);
  return { ...shown, change, marks, sum, series, groups, before, table };
}

function Toolbar({ page }: { readonly page: Analytics }) {
  const { span, change, by, compare, tab, table } = page;
  const save = () => {
    if (!table) return;
    const text = formatMetricGroupsCsv(by, table.rows, table.total);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    link.download = `${tab.id}-by-${by}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const share = () => {
    const url = new URL(location.href);
    url.searchParams.delete('range');
    url.searchParams.set('from', span.from.toISOString());
    url.searchParams.set('to', span.to.toISOString());
    copyText(url.href).then(
      () => showToast(analyticsText.toolbar.linkCopied),
      (error: unknown) =>
        showToast(error instanceof Error ? error.message : analyticsText.toolbar.linkNotCopied),
    );
  };
  return (
    <>
      <TimeRangePicker span={span} onChange={({ range, from, to }) => change({ range, from, to })} />
      <Button
        aria-pressed={compare}
        title={analyticsText.toolbar.compareHint}
        onClick={() => change({ compare: compare ? '0' : null }, 'replace')}
        className={joinClassNames(compare && 'border-accent! bg-accent-tint! text-accent-ink!')}
      >
        {analyticsText.toolbar.compare}
      </Button>
      <IconButton icon={Link2} label={analyticsText.toolbar.copyLink} onClick={share} />
      <IconButton
        icon={Download}
        label={analyticsText.toolbar.download}
        disabled={table === null}
        onClick={save}
      />
    </>
  );
}

function MetricBreakdown({ page }: { readonly page: Analytics }) {
  const { change, groups, sum, filter, span } = page;
  const table = useLatestComplete(page.table);
  return (
    <>
      <Controls page={page} />
      {sum.data && sum.data.retained_from > span.from.toISOString() && (
        <Notice state="partial">
          {analyticsText.notes.retention(
            formatShortDate(new Date(sum.data.retained_from), sum.data.timezone, new Date()),
          )}
        </Notice>
      )}
      <AnalyticsChart page={page} />
      {groups.error && !groups.data ? (
        <ErrorState
          what={analyticsText.table.loadFailed(getDimensionLabel(page.by))}
          error={groups.error}
          onRetry={() => void groups.refetch()}
        />
      ) : table ? (
        <MetricGroupTable
          by={getDimensionLabel(table.by)}
          tab={table.tab}
          rows={table.rows}
          total={table.total}
          series={table.series}
          isStale={page.table === null}
          onChoose={(value) => change({ ...clearFilters(filter), [table.by]: toExactFilterValue(value) })}
        />
      ) : (
        <Skeleton className="h-40" />
      )}
    </>
  );
}

function getDimensionLabel(by: string): string {
  return GROUP_DIMENSIONS.find(({ value }) => value === by)?.label ?? by;
}

/** The controls of the chart and the table. */
function Controls({ page }: { readonly page: Analytics }) {
  const { tab, by, change, interval, percentile, span } = page;
  const known = GROUP_DIMENSIONS.some(({ value }) => value === by);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span aria-hidden="true" className="text-ui text-ink-2">
        {analyticsText.controls.groupBy}
      </span>
      <Select
        aria-label={analyticsText.controls.groupBy}
        className="w-44!"
        choices={known ? GROUP_DIMENSIONS : [...GROUP_DIMENSIONS, { value: by, label: by }]}
        value={by}
        onChange={({ target }) => change({ by: target.value === tab.by ? null : target.value })}
      />
      <SegmentedControl
        label={analyticsText.controls.interval}
        options={INTERVALS}
        value={interval}
        onChange={(next) => change({ interval: next === chooseChartInterval(span) ? null : next }, 'replace')}
      />
      <TimeZoneSelect tz={page.tz} onChange={(tz) => change({ tz }, 'replace')} />
      {!tab.adds && (
        <SegmentedControl
          label={analyticsText.controls.percentile}
          options={PERCENTILES}
          value={percentile}
          onChange={(next) => change({ p: next === 'p95' ? null : next }, 'replace')}
        />
      )}
    </div>
  );
}

function CompleteUntil({ at }: { readonly at: string }) {
  const moment = new Date(at);
  return (
    <span>
      {analyticsText.notes.completeUntil(
        `${formatShortTime(moment, getBrowserTimeZone())} ${formatTimeZoneName(moment, getBrowserTimeZone())}`,
      )}
    </span>
  );
}

/**
 * Returns the URL changes that remove the current filter. Charts support one filter at a time, so a new
 * filter replaces it.
 */
function clearFilters(filter: readonly { readonly name: string }[]): Record<string, null> {
  return Object.fromEntries(filter.map(({ name }) => [name, null]));
}
