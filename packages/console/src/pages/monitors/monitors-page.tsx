import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import type { MonitorStatusSummary } from '@floe/contract/api/monitor-history';
import type { Monitor } from '@floe/contract/api/monitors';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { useOrgNavigate, useResourceNavigate } from '../../app/use-org-navigate.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { findFilterField, toFilterQuery, toFilterTokens } from '../../filters/filter-text.ts';
import { selectQueryParameters } from '../../filters/select-query-parameters.ts';
import { formatCount } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ColumnMenu } from '../../ui/column-menu.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, Notice, SkeletonRows } from '../../ui/feedback.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { LoadMoreButton } from '../../ui/load-more-button.tsx';
import { STATUS_STYLES, StatusIcon } from '../../ui/status.tsx';
import { listVisibleColumns } from '../../ui/table-columns.ts';
import { buildBeatSnippets } from './beat-snippets.ts';
import {
  ActiveMaintenanceContext,
  addRowControls,
  MONITOR_COLUMNS,
  MonitorCard,
  MonitorSelectionContext,
  RecentHistoryContext,
} from './monitor-columns.tsx';
import { MONITOR_FILTER_FIELDS } from './monitor-data.ts';
import { useMonitorList } from './monitor-list.ts';
import { channelLookupQuery, maintenanceWindowLookupQuery } from './monitor-references.ts';
import { type MonitorSelection, MonitorSelectionBar, useMonitorSelection } from './monitor-selection.tsx';
import { monitorsText } from './text.ts';

export { prefetchMonitors } from './monitor-list.ts';

const isMonitorFilter = (name: string) => findFilterField(MONITOR_FILTER_FIELDS, name) !== undefined;
const NO_FILTERS = Object.fromEntries(MONITOR_FILTER_FIELDS.map(({ name }) => [name, null]));

/** Lists all monitors with their status and next deadline. */
export function MonitorsPage() {
  const { query, change } = useUrlState();
  const go = useOrgNavigate();
  const create = () => go('/monitors/new');
  const asked = selectQueryParameters(query, isMonitorFilter);
  const tokens = useMemo(() => toFilterTokens(new URLSearchParams(asked), MONITOR_FILTER_FIELDS), [asked]);
  const filters = useMemo(() => toFilterQuery(tokens), [tokens]);
  const list = useMonitorList(filters, () => selection.ids.size > 0);
  const selection = useMonitorSelection(list.rows);
  const clear = { keys: 'Escape', does: monitorsText.page.clearSelection, run: selection.clear };
  useShortcuts([
    { keys: 'c', does: monitorsText.page.newTitle, run: create, needs: 'monitoring' },
    ...(selection.ids.size > 0 ? [clear] : []),
  ]);
  return (
    <PageFrame
      title={monitorsText.page.title}
      padded={false}
      actions={
        <>
          <span className="max-md:hidden">
            <ColumnMenu
              columns={MONITOR_COLUMNS}
              shown={listVisibleColumns(MONITOR_COLUMNS, query.get('cols'))}
              onChange={(cols) => change({ cols }, 'replace')}
            />
          </span>
          <Button look="primary" icon={Plus} needs="monitoring" onClick={create}>
            {monitorsText.page.newTitle}
          </Button>
        </>
      }
    >
      <div className="grid gap-3 px-4 pb-3 md:px-6">
        <StatusCounts
          counts={list.counts}
          chosen={query.get('status')}
          onChoose={(status) => change({ status })}
        />
        <FilterBar
          fields={MONITOR_FILTER_FIELDS}
          tokens={tokens}
          onAdd={({ name, value }) => change({ [name]: value })}
          onRemove={(name) => change({ [name]: null })}
          placeholder={monitorsText.page.filterPlaceholder}
          free="search"
        />
        <NoChannelNotice any={list.rows.length > 0} />
        <MonitorSelectionBar selection={selection} rows={list.rows} />
      </div>
      <MonitorTable
        list={list}
        selection={selection}
        cols={query.get('cols')}
        filters={filters}
        onClear={() => change(NO_FILTERS)}
      />
    </PageFrame>
  );
}

const COUNTED = ['failing', 'waiting', 'paused', 'healthy'] as const;

/** Shows the number of monitors by status. Selecting a status filters the list. */
function StatusCounts({
  counts,
  chosen,
  onChoose,
}: {
  readonly counts: MonitorStatusSummary['counts'] | undefined;
  readonly chosen: string | null;
  readonly onChoose: (status: string | null) => void;
}) {
  return (
    <div className="flex min-h-7 flex-wrap gap-x-1 gap-y-1">
      {counts &&
        COUNTED.map((status) => (
          <button
            key={status}
            type="button"
            aria-pressed={chosen === status}
            onClick={() => onChoose(chosen === status ? null : status)}
            className={joinClassNames(
              'inline-flex h-7 items-center gap-1.5 rounded-control px-2 text-ui hover:bg-hover aria-pressed:bg-accent-tint pointer-coarse:h-11',
              counts[status] === 0 ? 'text-ink-3' : 'text-ink',
            )}
          >
            <StatusIcon state={status} />
            <span className="font-medium figures">{formatCount(counts[status])}</span>
            <span className="text-ink-2">{STATUS_STYLES[status].word.toLowerCase()}</span>
          </button>
        ))}
    </div>
  );
}

/** A notice that no enabled channel exists, so that no alerts are delivered. */
function NoChannelNotice({ any }: { readonly any: boolean }) {
  const { data } = useQuery(channelLookupQuery);
  if (!any || !data || data.data.some(({ enabled }) => enabled)) return null;
  const isNone = data.data.length === 0;
  return (
    <Notice>
      {isNone ? monitorsText.page.noChannel : monitorsText.page.channelsDisabled}{' '}
      {isNone ? (
        <OrgLink to="/channels" search={{ open: 'new' }} needs="monitoring">
          {monitorsText.page.createChannel}
        </OrgLink>
      ) : (
        <OrgLink to="/channels">{monitorsText.page.viewChannels}</OrgLink>
      )}
    </Notice>
  );
}

function MonitorTable({
  list: { answer, rows, recent, counts, more, nextPage, onShown, point },
  selection,
  cols,
  filters,
  onClear,
}: {
  readonly list: ReturnType<typeof useMonitorList>;
  readonly selection: MonitorSelection;
  readonly cols: string | null;
  readonly filters: Readonly<Record<string, string>>;
  readonly onClear: () => void;
}) {
  const place = useResourceNavigate('/monitors');
  const columns = useMemo(() => addRowControls(listVisibleColumns(MONITOR_COLUMNS, cols)), [cols]);
  const open = useCallback(({ id }: Monitor) => place(id), [place]);
  const active = useActiveMaintenanceWindows();
  if (answer.error && rows.length === 0)
    return (
      <ErrorState
        what={monitorsText.page.loadError}
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  // The placeholder of an empty list says nothing about the list that is loading.
  if (answer.isPending || (rows.length === 0 && answer.isPlaceholderData)) return <SkeletonRows />;
  const filtered = Object.keys(filters).length > 0;
  if (rows.length === 0) return filtered ? <NoneMatch onClear={onClear} /> : <NoMonitors />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only tracks whether the pointer is over the rows, and handles `x` on a row.
    <div onPointerEnter={() => point(true)} onPointerLeave={() => point(false)} onKeyDown={selection.press}>
      <ActiveMaintenanceContext value={active}>
        <RecentHistoryContext value={recent}>
          <MonitorSelectionContext value={selection}>
            <DataTable<Monitor>
              label={monitorsText.page.title}
              rows={rows}
              rowId={({ id }) => id}
              columns={columns}
              card={monitorCard}
              onOpen={open}
              onEnd={more}
              onShown={onShown}
              total={filtered ? null : totalOf(counts)}
              stale={answer.isPlaceholderData}
            />
          </MonitorSelectionContext>
        </RecentHistoryContext>
      </ActiveMaintenanceContext>
      <LoadMoreButton nextPage={nextPage} />
    </div>
  );
}

function useActiveMaintenanceWindows(): readonly MaintenanceWindow[] {
  const { data } = useQuery({ ...maintenanceWindowLookupQuery, refetchInterval: 60_000 });
  return useMemo(() => data?.data.filter((window) => window.active_until !== null) ?? [], [data]);
}

function monitorCard(row: Monitor) {
  return <MonitorCard row={row} />;
}

function totalOf(counts: MonitorStatusSummary['counts'] | undefined): number | null {
  return counts ? counts.failing + counts.waiting + counts.paused + counts.healthy : null;
}

function NoneMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      title={monitorsText.page.noMatchTitle}
      action={<Button onClick={onClear}>{monitorsText.page.clearFilters}</Button>}
    >
      {monitorsText.page.noMatch}
    </EmptyState>
  );
}

function NoMonitors() {
  const go = useOrgNavigate();
  const create = () => go('/monitors/new');
  const [curl] = buildBeatSnippets('nightly-backup', buildApiUrl('api/monitoring/heartbeat').href, null);
  return (
    <>
      <EmptyState
        title={monitorsText.page.emptyTitle}
        action={
          <Button look="primary" icon={Plus} needs="monitoring" onClick={create}>
            {monitorsText.page.newTitle}
          </Button>
        }
      >
        {monitorsText.page.empty}
      </EmptyState>
      {curl && (
        <div className="mx-auto max-w-2xl px-4 pb-10">
          <CodeBlock snippets={[curl]} />
        </div>
      )}
    </>
  );
}
