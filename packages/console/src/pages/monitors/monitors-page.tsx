import type { Monitor, MonitorStanding } from '@floe/contract/api/monitors';
import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useOrgId, useUrlState } from '../../app/url-state.ts';
import { apiUrl } from '../../data/base.ts';
import { useConnection, useLiveQuery } from '../../data/events.ts';
import { tokensOf } from '../../filters/filter-text.ts';
import { count } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ColumnMenu } from '../../ui/column-menu.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, Notice, SkeletonRows } from '../../ui/feedback.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { STATES, StateIcon } from '../../ui/state.tsx';
import { shownColumns } from '../../ui/table-columns.ts';
import { MonitorCard, monitorColumns, type Recent } from './monitor-columns.tsx';
import {
  channelNamesQuery,
  failingQuery,
  MONITOR_FIELDS,
  monitorsQuery,
  standingQuery,
} from './monitor-data.ts';
import { byUrgency } from './monitor-order.ts';
import { beatSnippets } from './send-beats.ts';

const ASKED_AT_ONCE = 100;
const RECENT_AT_MOST = 500;

const ALL_COLUMNS = monitorColumns(new Map());

/** Did the jobs run, and when must each call again? */
export function MonitorsPage() {
  const { query, change } = useUrlState();
  const create = useOpenPage('/monitors/new');
  const tokens = tokensOf(query, MONITOR_FIELDS);
  const list = useMonitorList(Object.fromEntries(tokens.map(({ name, value }) => [name, value])));
  useShortcuts([{ keys: 'c', does: 'New monitor', run: create }]);
  return (
    <PageFrame
      title="Monitors"
      padded={false}
      actions={
        <>
          <span className="max-md:hidden">
            <ColumnMenu
              columns={ALL_COLUMNS}
              shown={shownColumns(ALL_COLUMNS, query.get('cols'))}
              onChange={(cols) => change({ cols }, 'replace')}
            />
          </span>
          <Button look="primary" icon={Plus} needs="monitoring" onClick={create}>
            New monitor
          </Button>
        </>
      }
    >
      <div className="grid gap-3 px-4 pb-3 md:px-6">
        <Counts counts={list.counts} chosen={query.get('status')} onChoose={(status) => change({ status })} />
        <FilterBar
          fields={MONITOR_FIELDS}
          tokens={tokens}
          onAdd={({ name, value }) => change({ [name]: value })}
          onRemove={(name) => change({ [name]: null })}
          placeholder="Filter by state, tag, name…"
        />
        <NobodyTold any={list.rows.length > 0} />
      </div>
      <Results
        list={list}
        cols={query.get('cols')}
        filtered={tokens.length > 0}
        onClear={() => change({ status: null, tag: null, search: null })}
      />
    </PageFrame>
  );
}

/** Opens a page of the org. */
function useOpenPage(to: string): () => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return () => void navigate({ to: `/o/${org}${to}` });
}

function useMonitorList(filters: Readonly<Record<string, string>>) {
  useLiveQuery('monitors', ['monitors']);
  // Without a stream the list asks by itself.
  const refetchInterval = useConnection() === 'live' ? 60_000 : 10_000;
  const answer = useInfiniteQuery({
    ...monitorsQuery(filters),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const partial = answer.hasNextPage && Object.keys(filters).length === 0;
  const failing = useQuery(failingQuery(partial));
  const rows = useMemo(
    () =>
      byUrgency([...(failing.data?.data ?? []), ...(answer.data?.pages.flatMap(({ data }) => data) ?? [])]),
    [answer.data, failing.data],
  );
  const asked = rows.slice(0, RECENT_AT_MOST).map(({ id }) => id);
  const chunks = Array.from({ length: Math.max(1, Math.ceil(asked.length / ASKED_AT_ONCE)) }, (_, index) =>
    asked.slice(index * ASKED_AT_ONCE, (index + 1) * ASKED_AT_ONCE).toSorted(),
  );
  const standings = useQueries({
    queries: answer.isPending ? [] : chunks.map((ids) => ({ ...standingQuery(ids), refetchInterval })),
    combine: joined,
  });
  return { answer, rows, ...standings };
}

function joined(answers: readonly { readonly data?: MonitorStanding | undefined }[]) {
  const recent: Recent = new Map(
    answers.flatMap(({ data }) => data?.recent.map((one) => [one.id, one] as const) ?? []),
  );
  return { recent, counts: answers[0]?.data?.counts };
}

const COUNTED = ['failing', 'waiting', 'paused', 'healthy'] as const;

/** How many there are in each state; a click shows only those. */
function Counts({
  counts,
  chosen,
  onChoose,
}: {
  readonly counts: MonitorStanding['counts'] | undefined;
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
            className={cx(
              'inline-flex h-7 items-center gap-1.5 rounded-control px-2 text-ui hover:bg-hover aria-pressed:bg-accent-tint pointer-coarse:h-11',
              counts[status] === 0 ? 'text-ink-3' : 'text-ink',
            )}
          >
            <StateIcon state={status} />
            <span className="font-medium figures">{count(counts[status])}</span>
            <span className="text-ink-2 max-sm:sr-only">{STATES[status].word.toLowerCase()}</span>
          </button>
        ))}
    </div>
  );
}

/** Monitors without a single channel find out, and tell no one. */
function NobodyTold({ any }: { readonly any: boolean }) {
  const { data } = useQuery(channelNamesQuery);
  if (!any || !data || data.data.some(({ enabled }) => enabled)) return null;
  return (
    <Notice>
      Nobody is told when a monitor fails: there is no channel.{' '}
      <OrgLink to="/channels">Add a channel</OrgLink>
    </Notice>
  );
}

function Results({
  list: { answer, rows, recent },
  cols,
  filtered,
  onClear,
}: {
  readonly list: ReturnType<typeof useMonitorList>;
  readonly cols: string | null;
  readonly filtered: boolean;
  readonly onClear: () => void;
}) {
  const navigate = useNavigate();
  const org = useOrgId();
  const columns = useMemo(() => shownColumns(monitorColumns(recent), cols), [recent, cols]);
  if (answer.error && rows.length === 0)
    return (
      <ErrorState
        what="Could not load monitors."
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  if (answer.isPending) return <SkeletonRows />;
  if (rows.length === 0) return filtered ? <NoneMatch onClear={onClear} /> : <NoMonitors />;
  return (
    <>
      <DataTable<Monitor>
        label="Monitors"
        rows={rows}
        rowId={({ id }) => id}
        columns={columns}
        card={(row) => <MonitorCard row={row} recent={recent} />}
        onOpen={({ id }) => void navigate({ to: `/o/${org}/monitors/${encodeURIComponent(id)}` })}
        stale={answer.isPlaceholderData}
      />
      <LoadMore
        more={answer.hasNextPage}
        loading={answer.isFetchingNextPage}
        onMore={() => void answer.fetchNextPage()}
      />
    </>
  );
}

function NoneMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState title="No monitors match" action={<Button onClick={onClear}>Clear the filters</Button>}>
      No monitor has all of these filters.
    </EmptyState>
  );
}

function NoMonitors() {
  const create = useOpenPage('/monitors/new');
  const [curl] = beatSnippets('nightly-backup', apiUrl('api/monitoring/heartbeat').href, null);
  return (
    <>
      <EmptyState
        title="No monitors"
        action={
          <Button look="primary" icon={Plus} needs="monitoring" onClick={create}>
            New monitor
          </Button>
        }
      >
        A job that calls when it is done, and a message when it does not.
      </EmptyState>
      {curl && (
        <div className="mx-auto max-w-2xl px-4 pb-10">
          <CodeBlock snippets={[curl]} />
        </div>
      )}
    </>
  );
}
