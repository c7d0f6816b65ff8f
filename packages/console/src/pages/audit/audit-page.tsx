import type { AuditEntry } from '@floe/contract/api/audit';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { startDownload } from '../../data/download.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { useLoadMore } from '../../data/use-load-more.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { toFilterQuery, toFilterTokens } from '../../filters/filter-text.ts';
import { selectQueryParameters } from '../../filters/select-query-parameters.ts';
import { resolveTimeRange, toTimeRangeParameters } from '../../filters/time-range.ts';
import { formatClockTime, formatShortDate, getBrowserTimeZone } from '../../format/times.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { LoadMoreButton } from '../../ui/load-more-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { TimeRangePicker } from '../../ui/time-range-picker.tsx';
import { AuditChainStatus } from './audit-chain-status.tsx';
import { AUDIT_FILTER_FIELDS, buildAuditQuery } from './audit-data.ts';
import { formatActorName, formatAuditEntryTitle, formatFirstChange } from './audit-entry.ts';
import { AuditEntryDrawer } from './audit-entry-drawer.tsx';
import { auditText } from './text.ts';

/** Renders the audit log: who changed what, with the values before and after each change. */
export function AuditPage() {
  const list = useAuditList();
  const { query, change, span, tokens, filters, rows } = list;
  const open = query.get('open');
  const at = rows.findIndex(({ id }) => id === open);
  const walk = (step: number) => {
    const next = rows[at + step];
    if (next) change({ open: next.id }, 'replace');
  };
  useShortcuts([
    { keys: 'j', does: auditText.page.nextChange, run: () => walk(1) },
    { keys: 'k', does: auditText.page.previousChange, run: () => walk(-1) },
  ]);
  const entry = rows[at];
  const drawer = entry && (
    <AuditEntryDrawer
      entry={entry}
      onClose={() => change({ open: null })}
      onPrevious={() => walk(-1)}
      onNext={() => walk(1)}
    />
  );
  return (
    <PageFrame
      title={auditText.page.title}
      padded={false}
      beside={drawer}
      actions={
        <>
          <TimeRangePicker span={span} onChange={({ range, from, to }) => change({ range, from, to })} />
          <ExportMenu filters={filters} />
        </>
      }
    >
      <div className="grid gap-3 px-4 pb-3 md:px-6">
        <AuditChainStatus isPageLoaded={!list.answer.isPending} />
        <FilterBar
          fields={AUDIT_FILTER_FIELDS}
          tokens={tokens}
          onAdd={({ name, value }) => change({ [name]: value })}
          onRemove={(name) => change({ [name]: null })}
          placeholder={auditText.page.filterPlaceholder}
        />
      </div>
      <AuditResults list={list} narrow={entry !== undefined} />
    </PageFrame>
  );
}

type AuditList = ReturnType<typeof useAuditList>;

function AuditResults({ list, narrow }: { readonly list: AuditList; readonly narrow: boolean }) {
  const { query, change, rows, answer, more, nextPage } = list;
  if (answer.error && rows.length === 0)
    return (
      <ErrorState
        what={auditText.page.loadFailed}
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  // The placeholder of an empty list says nothing about the list that is loading.
  if (answer.isPending || (rows.length === 0 && answer.isPlaceholderData)) return <SkeletonRows />;
  if (rows.length === 0)
    return (
      <EmptyState
        title={auditText.empty.title}
        action={
          <Button onClick={() => change({ range: '90d', from: null, to: null, ...NO_FILTERS })}>
            {auditText.empty.showAll}
          </Button>
        }
      >
        {auditText.empty.body}
      </EmptyState>
    );
  return (
    <>
      <DataTable
        label={auditText.page.table}
        rows={rows}
        rowId={({ id }) => id}
        columns={narrow ? COLUMNS.filter(({ id }) => id !== 'change' && id !== 'action') : COLUMNS}
        card={(row) => <AuditCard row={row} />}
        openId={query.get('open')}
        onOpen={({ id }) => change({ open: id })}
        onEnd={more}
        stale={answer.isPlaceholderData}
      />
      <LoadMoreButton nextPage={nextPage} />
    </>
  );
}

const NO_FILTERS = { actor: null, action: null, subject: null };

/** Returns the audit log entries that match the URL. */
function useAuditList() {
  const { query, change } = useUrlState();
  const text = selectQueryParameters(query, (name) => name !== 'open');
  const { span, tokens, filters } = useMemo(() => {
    const asked = new URLSearchParams(text);
    const time = resolveTimeRange(asked, getCurrentTime(), '30d');
    const found = toFilterTokens(asked, AUDIT_FILTER_FIELDS);
    return {
      span: time,
      tokens: found,
      filters: { ...toFilterQuery(found), ...toTimeRangeParameters(time) },
    };
  }, [text]);
  const list = buildAuditQuery(filters);
  const answer = useInfiniteQuery({ ...list, placeholderData: (before) => before });
  useRefetchOnEvent('config', ['audit']);
  const rows = useMemo(() => answer.data?.pages.flatMap(({ data }) => data) ?? [], [answer.data]);
  const end = useLoadMore(list.queryKey, answer);
  return { query, change, span, tokens, filters, answer, rows, ...end };
}

const COLUMNS: readonly TableColumn<AuditEntry>[] = [
  { id: 'time', label: auditText.columns.time, width: '9rem', cell: ({ at }) => <EntryTime at={at} /> },
  { id: 'actor', label: auditText.columns.actor, width: 'minmax(8rem, 12rem)', cell: formatActorName },
  {
    id: 'what',
    label: auditText.columns.change,
    width: 'minmax(14rem, 1.4fr)',
    cell: (entry) => <span className="font-medium">{formatAuditEntryTitle(entry)}</span>,
  },
  {
    id: 'change',
    label: auditText.columns.firstField,
    width: 'minmax(10rem, 1fr)',
    cell: (entry) => <span className="font-mono text-code text-ink-2">{formatFirstChange(entry)}</span>,
  },
  {
    id: 'action',
    label: auditText.columns.action,
    width: '11rem',
    yields: 1,
    cell: ({ action }) => <code className="font-mono text-code text-ink-3">{action}</code>,
  },
];

function EntryTime({ at }: { readonly at: string }) {
  const moment = new Date(at);
  return (
    <time dateTime={at}>
      {formatShortDate(moment, getBrowserTimeZone(), new Date())}{' '}
      {formatClockTime(moment, getBrowserTimeZone())}
    </time>
  );
}

function AuditCard({ row }: { readonly row: AuditEntry }) {
  return (
    <div className="grid gap-0.5">
      <div className="truncate font-medium">{formatAuditEntryTitle(row)}</div>
      <div className="flex justify-between gap-3 text-small text-ink-2">
        <span className="truncate">{formatActorName(row)}</span>
        <span className="shrink-0">
          <RelativeTimeText at={row.at} />
        </span>
      </div>
    </div>
  );
}

/** Exports all entries that match the filters, with their hashes. */
function ExportMenu({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const save = (format: 'csv' | 'ndjson') =>
    startDownload('api/management/audit/export', `audit.${format}`, { ...filters, format });
  return (
    <Menu trigger={<IconButton icon={Download} label={auditText.export.label} />}>
      <MenuItem onSelect={() => save('csv')}>{auditText.export.csv}</MenuItem>
      <MenuItem onSelect={() => save('ndjson')}>{auditText.export.ndjson}</MenuItem>
    </Menu>
  );
}
