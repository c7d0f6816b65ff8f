import { lazy, Suspense, useMemo, useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { IconButtonPlaceholder } from '../../ui/button.tsx';
import { DrawerPlaceholder } from '../../ui/drawer-placeholder.tsx';
import { FilterBarLayout } from '../../ui/filter-bar-layout.tsx';
import { createLazyComponent } from '../../ui/lazy-component.tsx';
import { listVisibleColumns } from '../../ui/table-columns.ts';
import { TimeRangeButton } from '../../ui/time-range-button.tsx';
import {
  LiveUpdatesButton,
  NewRequestsBanner,
  showWaitingRequests,
  toggleLiveUpdates,
} from './live-controls.tsx';
import { buildRequestColumns } from './request-columns.tsx';
import { buildFieldValuesQuery } from './request-data.ts';
import { isRequestId, REQUEST_FILTER_FIELDS } from './request-fields.ts';
import { createFilterValueExcluder, RequestResults } from './request-results.tsx';
import { getOutcomeDisplay, toAbsoluteTimeRange } from './request-rows.ts';
import { RequestTotalsLayout } from './request-totals-layout.tsx';
import type { RowFilterAnchor } from './row-filter-menu.tsx';
import { requestsText } from './text.ts';
import { type RequestList, useRequestList } from './use-request-list.ts';
import { useScrollRestoration } from './use-scroll-restoration.ts';

export { prefetchRequests } from './use-request-list.ts';

/** Loaded after the first render of the page. */
const RequestDrawer = lazy(() =>
  import('./request-drawer.tsx').then(({ RequestDrawer: Part }) => ({ default: Part })),
);

const FilterBar = createLazyComponent(
  () => import('../../ui/filter-bar.tsx').then((all) => all.FilterBar),
  (props) => <FilterBarLayout {...props} />,
);
const ColumnMenu = createLazyComponent(
  () => import('../../ui/column-menu.tsx').then((all) => all.ColumnMenu<Row>),
  () => <IconButtonPlaceholder />,
);
const RequestTotals = createLazyComponent(
  () => import('./request-totals.tsx').then((all) => all.RequestTotals),
  () => <RequestTotalsLayout />,
);
const TimeRange = createLazyComponent(
  () => import('../../ui/time-range-picker.tsx').then((all) => all.TimeRangePicker),
  ({ span }) => <TimeRangeButton span={span} inert />,
);
const RequestViews = createLazyComponent(
  () => import('./request-views.tsx').then((all) => all.RequestViews),
  () => <div className="h-10 border-b border-line" />,
);
const ShareMenu = createLazyComponent(
  () => import('./share-menu.tsx').then((all) => all.ShareMenu),
  () => (
    <>
      <IconButtonPlaceholder />
      <IconButtonPlaceholder />
    </>
  ),
);
const RowFilters = lazy(() =>
  import('./row-filter-menu.tsx').then(({ RowFilterMenu: Part }) => ({ default: Part })),
);

type Row = RequestList['rows'][number];

const NO_ROWS: RequestList['rows'] = [];

/** Lists all requests, with filters and live updates. */
export function RequestsPage() {
  const list = useRequestList();
  const { query, change, span, filters, rows, answer } = list;
  // Placeholder rows of the previous list must not restore a scroll position.
  const there = answer.isPlaceholderData ? NO_ROWS : rows;
  const ids = useMemo(() => there.map(({ id }) => id), [there]);
  useScrollRestoration({ key: list.key, ids, more: list.more, hasMore: answer.hasNextPage });
  const [filtering, setFiltering] = useState<RowFilterAnchor | null>(null);
  const open = query.get('open');
  const at = rows.findIndex(({ id }) => id === open);
  const walk = useWalk(list, at, setFiltering);
  const zoom = (from: Date, to: Date) => change(absolute({ from, to }));
  const close = () => change({ open: null });
  const drawer = open && (
    <Suspense fallback={<ClosedByEscape onClose={close} />}>
      <RequestDrawer
        id={open}
        place={
          at === -1
            ? null
            : requestsText.page.position(at + 1, `${rows.length}${answer.hasNextPage ? '+' : ''}`)
        }
        onClose={close}
        onPrevious={() => walk(-1)}
        onNext={() => walk(1)}
        onFilter={(beside) => rows[at] && setFiltering({ row: rows[at], beside })}
      />
    </Suspense>
  );
  return (
    <PageFrame
      title={requestsText.page.title}
      padded={false}
      actions={<Toolbar list={list} />}
      beside={drawer}
    >
      <RequestViews query={query} onChange={change} />
      <div className="grid grid-cols-1 gap-3 px-4 py-3 md:px-6">
        <Filters list={list} />
        <RequestTotals filters={filters} span={span} onZoom={zoom} />
      </div>
      <NewRequestsBanner list={list} />
      <div onPointerEnter={() => list.point(true)} onPointerLeave={() => list.point(false)}>
        <RequestResults list={list} onFilter={setFiltering} />
      </div>
      {filtering && (
        <Suspense>
          <RowFilters
            at={filtering}
            onOnly={({ name, value }) => change({ [name]: value })}
            onWithout={createFilterValueExcluder(list)}
            onClose={() => setFiltering(null)}
          />
        </Suspense>
      )}
    </PageFrame>
  );
}

function Filters({ list: { tokens, change, span } }: { readonly list: RequestList }) {
  return (
    <FilterBar
      fields={REQUEST_FILTER_FIELDS}
      tokens={tokens}
      onAdd={({ name, value }) => change({ [name]: value })}
      onRemove={(name) => change({ [name]: null })}
      values={(field, prefix) => buildFieldValuesQuery(field, prefix, span)}
      onText={(id) => {
        if (!isRequestId(id)) return false;
        change({ open: id });
        return true;
      }}
      placeholder={requestsText.page.filterPlaceholder}
    />
  );
}

/** A placeholder for the drawer while its code loads. Escape already closes it. */
function ClosedByEscape({ onClose }: { readonly onClose: () => void }) {
  useShortcuts([{ keys: 'Escape', does: requestsText.shortcuts.close, run: onClose }]);
  return <DrawerPlaceholder />;
}

/** Registers the shortcuts of the page. Returns a function that moves to another row. */
function useWalk(
  list: RequestList,
  at: number,
  onFilter: (at: RowFilterAnchor) => void,
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
      return row !== undefined && !['healthy', 'cached'].includes(getOutcomeDisplay(row).state);
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
      does: requestsText.shortcuts.live,
      run: () => (tail.waiting > 0 ? showWaitingRequests(list) : toggleLiveUpdates(list)),
    },
    { keys: 'j', does: requestsText.shortcuts.next, run: () => walk(1) },
    { keys: 'k', does: requestsText.shortcuts.previous, run: () => walk(-1) },
    { keys: 'J', does: requestsText.shortcuts.nextFailed, run: () => toError(1) },
    { keys: 'K', does: requestsText.shortcuts.previousFailed, run: () => toError(-1) },
    {
      keys: 'y',
      does: requestsText.shortcuts.fixTime,
      run: () => change(absolute(toAbsoluteTimeRange(span, rows[0], getCurrentTime()))),
    },
    { keys: 'f', does: requestsText.shortcuts.filter, run: filter },
  ]);
  return walk;
}

function Toolbar({ list }: { readonly list: RequestList }) {
  const { query, change, span, metadata } = list;
  const columns = buildRequestColumns(1, metadata);
  return (
    <>
      <TimeRange span={span} isRolling onChange={(choice) => change({ ...choice })} />
      <LiveUpdatesButton list={list} />
      <span className="max-md:hidden">
        <ColumnMenu
          columns={columns}
          shown={listVisibleColumns(columns, query.get('cols'))}
          onChange={(cols) => change({ cols }, 'replace')}
        />
      </span>
      <ShareMenu list={list} />
    </>
  );
}

function absolute({ from, to }: { readonly from: Date; readonly to: Date }) {
  return { range: null, from: from.toISOString(), to: to.toISOString() };
}
