import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowUp, Radio } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { tokensOf } from '../../filters/filter-text.ts';
import { spanOf } from '../../filters/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { ColumnMenu } from '../../ui/column-menu.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { shownColumns } from '../../ui/table-columns.ts';
import { TimeRange } from '../../ui/time-range.tsx';
import { useLiveTail } from './live-tail.ts';
import { RequestCard, requestColumns } from './request-columns.tsx';
import { apiFilters, requestsQuery } from './request-data.ts';
import { REQUEST_FIELDS } from './request-fields.ts';
import { RequestFigures } from './request-figures.tsx';
import { merged } from './request-rows.ts';
import { RequestViews } from './request-views.tsx';

/** Not part of the first page: it is there before anyone has read a row. */
const RequestDrawer = lazy(() =>
  import('./request-drawer.tsx').then(({ RequestDrawer: Part }) => ({ default: Part })),
);

const FilterBar = lazy(() =>
  import('../../ui/filter-bar.tsx').then(({ FilterBar: Part }) => ({ default: Part })),
);
const ShareMenu = lazy(() => import('./share-menu.tsx').then(({ ShareMenu: Part }) => ({ default: Part })));
const NoRequests = lazy(() =>
  import('./no-requests.tsx').then(({ NoRequests: Part }) => ({ default: Part })),
);

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['time', 'status', 'model', 'latency']);

const ALL_COLUMNS = requestColumns(1);

/** Every call through the gateway: find one among millions, or watch them come. */
export function RequestsPage() {
  const list = useRequestList();
  const { query, change, span, tokens, filters, rows, tail, live } = list;
  const open = query.get('open');
  const walk = (step: number) => {
    const next = rows[rows.findIndex(({ id }) => id === open) + step];
    if (next) change({ open: next.id }, 'replace');
  };
  const zoom = (from: Date, to: Date) => change(absolute({ from, to }));
  useShortcuts([
    { keys: 'l', does: 'Live on or off', run: () => change({ live: live ? '0' : null }, 'replace') },
    { keys: 'j', does: 'Next request', run: () => walk(1) },
    { keys: 'k', does: 'Previous request', run: () => walk(-1) },
    { keys: 'y', does: 'Freeze the time range', run: () => change(absolute(span)) },
  ]);
  const drawer = open && (
    <Suspense>
      <RequestDrawer
        id={open}
        onClose={() => change({ open: null })}
        onPrevious={() => walk(-1)}
        onNext={() => walk(1)}
      />
    </Suspense>
  );
  return (
    <PageFrame title="Requests" padded={false} actions={<Toolbar list={list} />} beside={drawer}>
      <RequestViews query={query} onChange={change} />
      <div className="grid gap-3 px-4 py-3 md:px-6">
        <Suspense fallback={<div className="min-h-control" />}>
          <FilterBar
            fields={REQUEST_FIELDS}
            tokens={tokens}
            onAdd={({ name, value }) => change({ [name]: value })}
            onRemove={(name) => change({ [name]: null })}
            placeholder="Filter by status, model, key, metadata…"
          />
        </Suspense>
        <RequestFigures filters={filters} span={span} onZoom={zoom} />
      </div>
      <Arriving waiting={tail.waiting} isSampled={tail.isSampled && live} onShow={tail.show} />
      <div onPointerEnter={() => list.point(true)} onPointerLeave={() => list.point(false)}>
        <Results list={list} />
      </div>
    </PageFrame>
  );
}

type RequestList = ReturnType<typeof useRequestList>;

function Toolbar({ list }: { readonly list: RequestList }) {
  const { query, change, span, live, tail, filters } = list;
  return (
    <>
      <TimeRange span={span} onChange={({ range, from, to }) => change({ range, from, to })} />
      <LiveButton
        on={live}
        waiting={tail.waiting}
        onChange={() => change({ live: live ? '0' : null }, 'replace')}
      />
      <span className="max-md:hidden">
        <ColumnMenu
          columns={ALL_COLUMNS}
          shown={shownColumns(ALL_COLUMNS, query.get('cols'))}
          onChange={(cols) => change({ cols }, 'replace')}
        />
      </span>
      <Suspense>
        <ShareMenu span={span} filters={filters} />
      </Suspense>
    </>
  );
}

/** The rows, or why there are none. */
function Results({ list }: { readonly list: RequestList }) {
  const { query, change, tokens, rows, answer, more } = list;
  const columns = useMemo(() => requestColumns(scaleOf(rows.map(({ latency_ms }) => latency_ms))), [rows]);
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
        onEnd={more}
        stale={answer.isPlaceholderData}
      />
      <LoadMore more={answer.hasNextPage} loading={answer.isFetchingNextPage} onMore={more} />
    </>
  );
}

/** The list a URL asks for, with what arrives while it is shown. */
function useRequestList() {
  const { query, change } = useUrlState();
  // The span is resolved once per link: rows that are paged through must not slide.
  const key = [...query].filter(([name]) => name !== 'open' && name !== 'cols' && name !== 'live').join('&');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is what the key is made of.
  const { span, tokens, filters } = useMemo(() => {
    const time = spanOf(query, new Date());
    const found = tokensOf(query, REQUEST_FIELDS);
    return { span: time, tokens: found, filters: apiFilters(found, time) };
  }, [key]);
  const answer = useInfiniteQuery({ ...requestsQuery(filters), placeholderData: (before) => before });
  const live = span.range !== null && query.get('live') !== '0';
  const pointing = useRef(false);
  const [, redraw] = useState(0);
  const held = useCallback(
    () => pointing.current || (document.querySelector('[data-scroll]')?.scrollTop ?? 0) > 40,
    [],
  );
  const paged = useMemo(() => answer.data?.pages.flatMap(({ data }) => data) ?? [], [answer.data]);
  const known = useMemo(() => new Set(paged.map(({ id }) => id)), [paged]);
  const client = useQueryClient();
  const reread = useCallback(
    () => void client.resetQueries({ queryKey: ['requests', filters], exact: true }),
    [client, filters],
  );
  const tail = useLiveTail(filters, live, held, known, reread);
  const rows = useMemo(() => (tail.rows.length === 0 ? paged : merged(paged, tail.rows)), [paged, tail.rows]);
  const more = useCallback(() => {
    if (answer.hasNextPage && !answer.isFetchingNextPage) void answer.fetchNextPage();
  }, [answer]);
  const point = (inside: boolean) => {
    pointing.current = inside && window.matchMedia('(hover: hover)').matches;
    if (!inside) redraw((count) => count + 1);
  };
  return { query, change, span, tokens, filters, rows, answer, tail, live, more, point };
}

function LiveButton({
  on,
  waiting,
  onChange,
}: {
  readonly on: boolean;
  readonly waiting: number;
  readonly onChange: () => void;
}) {
  return (
    <Button
      icon={Radio}
      aria-pressed={on}
      onClick={onChange}
      className={cx(on && 'border-healthy-line! bg-healthy-tint! text-healthy-ink!')}
    >
      {on && waiting > 0 ? `Paused, ${waiting} waiting` : 'Live'}
    </Button>
  );
}

/** Over the rows and without a place of its own, so that no row moves when it comes or goes. */
function Arriving({
  waiting,
  isSampled,
  onShow,
}: {
  readonly waiting: number;
  readonly isSampled: boolean;
  readonly onShow: () => void;
}) {
  if (waiting === 0 && !isSampled) return null;
  return (
    <div className="pointer-events-none sticky top-2 z-20 flex h-0 justify-center overflow-visible">
      {waiting > 0 ? (
        <Button icon={ArrowUp} onClick={onShow} className="pointer-events-auto rounded-full! shadow-popover">
          {waiting} new
        </Button>
      ) : (
        <p className="h-8 rounded-full border border-line-strong bg-raised px-3 text-small leading-8 text-ink-2 shadow-popover">
          More arrive than can be shown. Counts are exact.
        </p>
      )}
    </div>
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
