import { ListFilter } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import type { FilterToken } from '../../filters/filter-text.ts';
import { without } from '../../filters/filter-value.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { shownColumns } from '../../ui/table-columns.ts';
import { Arriving, LiveButton, resume, turn } from './live-controls.tsx';
import { RequestCard, requestColumns } from './request-columns.tsx';
import { fieldValues, summaryQuery } from './request-data.ts';
import { cellFilters, REQUEST_FIELDS } from './request-fields.ts';
import { fixedSpan, outcomeOf } from './request-rows.ts';
import type { RowFiltersAt } from './row-filters.tsx';
import { type RequestList, useRequestList } from './use-request-list.ts';
import { useScrollPlace } from './use-scroll-place.ts';

/** Not part of the first page: it is there before anyone has read a row. */
const RequestDrawer = lazy(() =>
  import('./request-drawer.tsx').then(({ RequestDrawer: Part }) => ({ default: Part })),
);

const FilterBar = lazy(() =>
  import('../../ui/filter-bar.tsx').then(({ FilterBar: Part }) => ({ default: Part })),
);
const ColumnMenu = lazy(() =>
  import('../../ui/column-menu.tsx').then(({ ColumnMenu: Part }) => ({ default: Part<Row> })),
);
const RequestFigures = lazy(() =>
  import('./request-figures.tsx').then(({ RequestFigures: Part }) => ({ default: Part })),
);
const TimeRange = lazy(() =>
  import('../../ui/time-range.tsx').then(({ TimeRange: Part }) => ({ default: Part })),
);
const RequestViews = lazy(() =>
  import('./request-views.tsx').then(({ RequestViews: Part }) => ({ default: Part })),
);
const ShareMenu = lazy(() => import('./share-menu.tsx').then(({ ShareMenu: Part }) => ({ default: Part })));
const NoRequests = lazy(() =>
  import('./no-requests.tsx').then(({ NoRequests: Part }) => ({ default: Part })),
);
const RowFilters = lazy(() =>
  import('./row-filters.tsx').then(({ RowFilters: Part }) => ({ default: Part })),
);

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['time', 'status', 'model', 'latency']);

const NO_ROWS: RequestList['rows'] = [];

/** Every call through the gateway: find one among millions, or watch them come. */
export function RequestsPage() {
  const list = useRequestList();
  const { query, change, span, filters, rows, answer } = list;
  // Rows of the list before are no place to go back to.
  const there = answer.isPlaceholderData ? NO_ROWS : rows;
  const ids = useMemo(() => there.map(({ id }) => id), [there]);
  useScrollPlace({ key: list.key, ids, more: list.more, hasMore: answer.hasNextPage });
  const [filtering, setFiltering] = useState<RowFiltersAt | null>(null);
  const open = query.get('open');
  const at = rows.findIndex(({ id }) => id === open);
  const walk = useWalk(list, at, setFiltering);
  const zoom = (from: Date, to: Date) => change(absolute({ from, to }));
  const close = () => change({ open: null });
  const drawer = open && (
    <Suspense fallback={<ClosedByEscape onClose={close} />}>
      <RequestDrawer
        id={open}
        place={at === -1 ? null : `${at + 1} of ${rows.length}${answer.hasNextPage ? '+' : ''}`}
        onClose={close}
        onPrevious={() => walk(-1)}
        onNext={() => walk(1)}
        onFilter={(beside) => rows[at] && setFiltering({ row: rows[at], beside })}
      />
    </Suspense>
  );
  return (
    <PageFrame title="Requests" padded={false} actions={<Toolbar list={list} />} beside={drawer}>
      <Suspense fallback={<div className="h-10 border-b border-line" />}>
        <RequestViews query={query} onChange={change} />
      </Suspense>
      <div className="grid grid-cols-1 gap-3 px-4 py-3 md:px-6">
        <Filters list={list} />
        {summaryQuery(filters).enabled && (
          <Suspense fallback={<div className="h-62 md:h-49.5" />}>
            <RequestFigures filters={filters} span={span} onZoom={zoom} />
          </Suspense>
        )}
      </div>
      <Arriving list={list} />
      <div onPointerEnter={() => list.point(true)} onPointerLeave={() => list.point(false)}>
        <Results list={list} onFilter={setFiltering} />
      </div>
      {filtering && (
        <Suspense>
          <RowFilters
            at={filtering}
            onOnly={({ name, value }) => change({ [name]: value })}
            onWithout={exclude(list)}
            onClose={() => setFiltering(null)}
          />
        </Suspense>
      )}
    </PageFrame>
  );
}

function Filters({ list: { tokens, change, span } }: { readonly list: RequestList }) {
  return (
    <Suspense fallback={<div className="min-h-control" />}>
      <FilterBar
        fields={REQUEST_FIELDS}
        tokens={tokens}
        onAdd={({ name, value }) => change({ [name]: value })}
        onRemove={(name) => change({ [name]: null })}
        values={(field, begun) => fieldValues(field, begun, span)}
        placeholder="Filter by status, model, key, metadata…"
      />
    </Suspense>
  );
}

/** Stands for a drawer that is on its way: it can be closed already. */
function ClosedByEscape({ onClose }: { readonly onClose: () => void }) {
  useShortcuts([{ keys: 'Escape', does: 'Close', run: onClose }]);
  return null;
}

/** The keys of the page; returns what goes to another row. */
function useWalk(
  list: RequestList,
  at: number,
  onFilter: (at: RowFiltersAt) => void,
): (step: number) => void {
  const { change, span, rows, tail } = list;
  const go = (index: number) => {
    const next = rows[index];
    if (next) change({ open: next.id }, 'replace');
  };
  const walk = (step: number) => go(at + step);
  const toError = (step: number) => {
    const isBad = (index: number) => {
      const row = rows[index];
      return row !== undefined && !['healthy', 'cached'].includes(outcomeOf(row).state);
    };
    let index = at + step;
    while (index >= 0 && index < rows.length && !isBad(index)) index += step;
    go(index);
  };
  const filter = () => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-row]');
    const beside = focused ?? document.querySelector<HTMLElement>('[data-row-filters]');
    const row = focused ? rows.find(({ id }) => id === focused.dataset['row']) : rows[at];
    if (row && beside) onFilter({ row, beside });
  };
  useShortcuts([
    {
      keys: 'l',
      does: 'Live on, off or on again',
      run: () => (tail.waiting > 0 ? resume(list) : turn(list)),
    },
    { keys: 'j', does: 'Next request', run: () => walk(1) },
    { keys: 'k', does: 'Previous request', run: () => walk(-1) },
    { keys: 'J', does: 'Next request that went wrong', run: () => toError(1) },
    { keys: 'K', does: 'Previous request that went wrong', run: () => toError(-1) },
    {
      keys: 'y',
      does: 'Freeze the time range',
      run: () => change(absolute(fixedSpan(span, rows[0], new Date()))),
    },
    { keys: 'f', does: 'Filter by the row', run: filter },
  ]);
  return walk;
}

function Toolbar({ list }: { readonly list: RequestList }) {
  const { query, change, span, metadata } = list;
  const columns = requestColumns(1, metadata);
  return (
    <>
      <Suspense fallback={<span className="h-control w-44" />}>
        <TimeRange span={span} onChange={({ range, from, to }) => change({ range, from, to })} />
      </Suspense>
      <LiveButton list={list} />
      <Suspense>
        <span className="max-md:hidden">
          <ColumnMenu
            columns={columns}
            shown={shownColumns(columns, query.get('cols'))}
            onChange={(cols) => change({ cols }, 'replace')}
          />
        </span>
        <ShareMenu list={list} />
      </Suspense>
    </>
  );
}

/** Adds what is left out to what is left out already. */
function exclude({ change, query }: RequestList) {
  return ({ name, value }: FilterToken) => change({ [name]: without(query.get(name), value) });
}

/** The rows, or why there are none. */
function Results({
  list,
  onFilter,
}: {
  readonly list: RequestList;
  readonly onFilter: (at: RowFiltersAt) => void;
}) {
  const { query, change, tokens, rows, answer, more, filters, metadata } = list;
  const columns = useMemo(
    () => requestColumns(scaleOf(rows.map(({ latency_ms }) => latency_ms)), metadata),
    [rows, metadata],
  );
  const open = query.get('open');
  const chosen = shownColumns(columns, query.get('cols'));
  if (answer.error && rows.length === 0)
    return (
      <ErrorState
        what="Could not load requests."
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  if (answer.isPending) return <SkeletonRows />;
  if (rows.length === 0)
    return (
      <Suspense>
        <NoRequests
          tokens={tokens}
          filters={filters}
          onRemove={(name) => change({ [name]: null })}
          onWiden={() => change({ range: '7d', from: null, to: null })}
        />
      </Suspense>
    );
  return (
    <>
      <DataTable
        label="Requests"
        rows={rows}
        rowId={({ id }) => id}
        // Beside the drawer there is room for what tells rows apart.
        columns={open ? chosen.filter(({ id }) => BESIDE_DRAWER.has(id)) : chosen}
        card={(row) => <RequestCard row={row} />}
        openId={open}
        onOpen={({ id }) => change({ open: id })}
        onAltClick={(row, column, target) => {
          const found = cellFilters(row, column);
          const name = target.closest<HTMLElement>('[data-filter-name]')?.dataset['filterName'];
          const token = found.find((one) => one.name === name) ?? found[0];
          if (token) exclude(list)(token);
        }}
        // The drawer has the same.
        {...(open ? {} : { rowEnd: (row: Row) => <FilterButton row={row} onFilter={onFilter} /> })}
        onEnd={more}
        stale={answer.isPlaceholderData}
      />
      <LoadMore more={answer.hasNextPage} loading={answer.isFetchingNextPage} onMore={more} />
    </>
  );
}

type Row = RequestList['rows'][number];

function FilterButton({
  row,
  onFilter,
}: {
  readonly row: Row;
  readonly onFilter: (at: RowFiltersAt) => void;
}) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label="Filter by this request"
      title="Filter by this request (f)"
      onClick={({ currentTarget }) => onFilter({ row, beside: currentTarget })}
      className="grid size-7 place-items-center rounded-control border border-line-strong bg-raised text-ink-2 hover:text-ink"
    >
      <ListFilter size={14} aria-hidden="true" />
    </button>
  );
}

/** The scale of the latency bars: the 95th percentile of what is shown, so that one slow request flattens nothing. */
function scaleOf(latencies: readonly number[]): number {
  const order = [...latencies].sort((a, b) => a - b);
  return Math.max(1, order[Math.floor(order.length * 0.95)] ?? 1);
}

function absolute({ from, to }: { readonly from: Date; readonly to: Date }) {
  return { range: null, from: from.toISOString(), to: to.toISOString() };
}
