import { ListFilter } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import type { FilterToken } from '../../filters/filter-text.ts';
import { excludeFilterValue } from '../../filters/filter-value.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { LoadMoreButton } from '../../ui/load-more-button.tsx';
import { listVisibleColumns } from '../../ui/table-columns.ts';
import { buildRequestColumns, RequestCard } from './request-columns.tsx';
import { listCellFilters } from './request-fields.ts';
import type { RowFilterAnchor } from './row-filter-menu.tsx';
import { requestsText } from './text.ts';
import type { RequestList } from './use-request-list.ts';

const NoRequests = lazy(() =>
  import('./no-requests.tsx').then(({ NoRequests: Part }) => ({ default: Part })),
);

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['time', 'status', 'model']);

type Row = RequestList['rows'][number];

/**
 * Returns a function that changes the filter of a field so that the list no longer contains rows with a given
 * value. Values that are already excluded stay excluded.
 */
export function createFilterValueExcluder({ change, query }: Pick<RequestList, 'change' | 'query'>) {
  return ({ name, value }: FilterToken) => change({ [name]: excludeFilterValue(query.get(name), value) });
}

/**
 * Returns row actions with a stable identity, so that unchanged rows do not render again when rows arrive.
 */
function useRowActions({ change, query }: RequestList, onFilter: (at: RowFilterAnchor) => void) {
  const openRow = useCallback(({ id }: Row) => change({ open: id }), [change]);
  const excludeCell = useCallback(
    (row: Row, column: string, target: Element) => {
      const found = listCellFilters(row, column);
      const name = target.closest<HTMLElement>('[data-filter-name]')?.dataset['filterName'];
      const token = found.find((one) => one.name === name) ?? found[0];
      if (token) createFilterValueExcluder({ change, query })(token);
    },
    [change, query],
  );
  const rowEnd = useCallback((row: Row) => <FilterButton row={row} onFilter={onFilter} />, [onFilter]);
  return { openRow, excludeCell, rowEnd };
}

/** Shows the matching requests, or why there are none. */
export function RequestResults({
  list,
  onFilter,
}: {
  readonly list: RequestList;
  readonly onFilter: (at: RowFilterAnchor) => void;
}) {
  const { query, change, tokens, rows, answer, more, nextPage, filters, metadata } = list;
  const scale = useMemo(() => scaleOf(rows.map(({ latency_ms }) => latency_ms)), [rows]);
  const columns = useMemo(() => buildRequestColumns(scale, metadata), [scale, metadata]);
  const open = query.get('open');
  const cols = query.get('cols');
  const shown = useMemo(() => {
    const chosen = listVisibleColumns(columns, cols);
    // Next to the drawer, there is space only for the columns that identify rows.
    return open ? chosen.filter(({ id }) => BESIDE_DRAWER.has(id)) : chosen;
  }, [columns, cols, open]);
  const { openRow, excludeCell, rowEnd } = useRowActions(list, onFilter);
  if (answer.error && rows.length === 0)
    return (
      <ErrorState
        what={requestsText.page.loadFailed}
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  // The placeholder of an empty list says nothing about the list that is loading.
  if (answer.isPending || (rows.length === 0 && answer.isPlaceholderData)) return <SkeletonRows />;
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
        label={requestsText.page.table}
        rows={rows}
        rowId={({ id }) => id}
        columns={shown}
        card={requestCard}
        openId={open}
        onOpen={openRow}
        onAltClick={excludeCell}
        // The drawer offers the same actions.
        {...(open ? {} : { rowEnd })}
        onEnd={more}
        stale={answer.isPlaceholderData}
      />
      <LoadMoreButton nextPage={nextPage} />
    </>
  );
}

function FilterButton({
  row,
  onFilter,
}: {
  readonly row: Row;
  readonly onFilter: (at: RowFilterAnchor) => void;
}) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={requestsText.rowFilters.open}
      title={requestsText.rowFilters.openHint}
      onClick={({ currentTarget }) => onFilter({ row, beside: currentTarget })}
      className="grid size-7 place-items-center rounded-control border border-line-strong bg-raised text-ink-2 hover:text-ink"
    >
      <ListFilter size={14} aria-hidden="true" />
    </button>
  );
}

function requestCard(row: Row) {
  return <RequestCard row={row} />;
}

/**
 * Returns the scale of the latency bars: the 95th percentile of the visible rows, so that one slow request
 * does not shrink the other bars. Rounded up to two digits, so that the scale rarely changes.
 */
function scaleOf(latencies: readonly number[]): number {
  const order = Float64Array.from(latencies).sort();
  const high = Math.max(1, order[Math.floor(order.length * 0.95)] ?? 1);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(high)) - 1);
  return Math.ceil(high / step) * step;
}
