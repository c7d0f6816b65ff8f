import type { MonitorStatusSummary } from '@floe/contract/api/monitor-history';
import type { Monitor } from '@floe/contract/api/monitors';
import {
  keepPreviousData,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { PageQueryPrefetcher } from '../../app/page-route.ts';
import { runThrottled } from '../../data/throttle.ts';
import { trimToFirstPage } from '../../data/trim-to-first-page.ts';
import { useLoadMore } from '../../data/use-load-more.ts';
import { useEventStreamState, useServerEvents } from '../../data/use-server-events.ts';
import { toFilterQuery, toFilterTokens } from '../../filters/filter-text.ts';
import {
  buildMonitorStatusSummaryQuery,
  buildMonitorsQuery,
  MONITOR_FILTER_FIELDS,
  refreshMonitors,
} from './monitor-data.ts';
import { channelLookupQuery } from './monitor-references.ts';
import { type LoadedMonitorPages, mergeMonitorPages } from './monitor-rows.ts';

/** The status history of the last day by monitor ID. */
export type RecentHistoryByMonitor = ReadonlyMap<string, MonitorStatusSummary['recent'][number]>;

/** Number of rows whose last day is requested together. */
const BLOCK_ROWS = 50;
/** Number of rows assumed to be visible until the table reports the visible rows. */
const FIRST_LOOK = 24;
const LIVE_MS = 60_000;
/** Poll interval in milliseconds without an event stream. */
const POLL_MS = 10_000;
/** Scroll distance in pixels above which the user is considered to be reading, so that rows must not move. */
const TOP_PX = 40;

/** Starts the queries of the page: first the first rows, then their status history. */
export const prefetchMonitors: PageQueryPrefetcher = (client, { query }) => {
  const list = buildMonitorsQuery(toFilterQuery(toFilterTokens(query, MONITOR_FILTER_FIELDS)));
  void client.prefetchQuery(buildMonitorStatusSummaryQuery([]));
  void client.prefetchQuery(channelLookupQuery);
  void client.fetchInfiniteQuery(list).then(
    ({ pages }) => {
      const ids = mergeMonitorPages(pages)
        .slice(0, BLOCK_ROWS)
        .map(({ id }) => id);
      if (ids.length > 0) void client.prefetchQuery(buildMonitorStatusSummaryQuery(ids.toSorted()));
    },
    () => undefined,
  );
};

/**
 * Manages a list of any number of monitors, most urgent first. More pages load on scroll. The status history of
 * the last day loads only for visible rows. The number of monitors with each status comes from the server. When
 * monitors change, only visible rows are refetched. Rows move only while the user is not interacting with the
 * list.
 * @param isBusy Returns whether rows are selected. While it returns true, rows do not move.
 */
export function useMonitorList(filters: Readonly<Record<string, string>>, isBusy: () => boolean) {
  const list = buildMonitorsQuery(filters);
  const answer = useInfiniteQuery({ ...list, placeholderData: keepPreviousData });
  const rows = useMemo(() => mergeMonitorPages(answer.data?.pages ?? []), [answer.data]);
  const shown = useRef<VisibleRange>({ first: 0, last: FIRST_LOOK });
  const [blocks, setBlocks] = useState(blocksOf(shown.current));
  const onShown = useCallback((first: number, last: number) => {
    shown.current = { first, last };
    const next = blocksOf(shown.current);
    setBlocks((before) => (before.first === next.first && before.last === next.last ? before : next));
  }, []);
  const recent = useRecent(rows, blocks);
  const { data: standing } = useQuery(buildMonitorStatusSummaryQuery([]));
  const point = useListRefresh(
    filters,
    () => rows.slice(shown.current.first, shown.current.last + 1),
    isBusy,
  );
  const end = useLoadMore(list.queryKey, answer, answer.isFetching);
  return { answer, rows, recent, counts: standing?.counts, ...end, onShown, point };
}

interface VisibleRange {
  readonly first: number;
  readonly last: number;
}

function blocksOf({ first, last }: VisibleRange): VisibleRange {
  return { first: Math.floor(first / BLOCK_ROWS), last: Math.floor(last / BLOCK_ROWS) };
}

/** Returns the last day of the visible rows, requested in blocks. */
function useRecent(rows: readonly Monitor[], { first, last }: VisibleRange): RecentHistoryByMonitor {
  const blocks = Array.from({ length: last - first + 1 }, (_, index) => {
    const start = (first + index) * BLOCK_ROWS;
    return rows.slice(start, start + BLOCK_ROWS).map(({ id }) => id);
  });
  return useQueries({
    queries: blocks
      .filter((ids) => ids.length > 0)
      .map((ids) => buildMonitorStatusSummaryQuery(ids.toSorted())),
    combine: recentOf,
  });
}

function recentOf(
  answers: readonly { readonly data?: MonitorStatusSummary | undefined }[],
): RecentHistoryByMonitor {
  return new Map(answers.flatMap(({ data }) => data?.recent.map((one) => [one.id, one] as const) ?? []));
}

/**
 * Refreshes the list after events and at intervals. While the user reads the list, only visible rows are
 * updated in place. Otherwise, the first page is reloaded in its new order. Returns a function to call when
 * the pointer enters or leaves the rows.
 */
function useListRefresh(
  filters: Readonly<Record<string, string>>,
  inView: () => readonly Monitor[],
  isBusy: () => boolean,
): (inside: boolean) => void {
  const client = useQueryClient();
  const live = useEventStreamState() === 'live';
  const pointing = useRef(false);
  const isShown = useRef(true);
  const catchUp = useEffectEvent(async () => {
    if (document.hidden || !isShown.current) return;
    const status = client.invalidateQueries({ queryKey: ['monitors', 'status'] });
    const ids = inView().map(({ id }) => id);
    const isRead = pointing.current || isBusy() || (scrolled() ?? 0) > TOP_PX;
    if (isRead && ids.length > 0) await refreshMonitors(client, ids.slice(0, 100)).catch(() => undefined);
    else if (!isRead) {
      const { queryKey } = buildMonitorsQuery(filters);
      client.setQueryData<LoadedMonitorPages>(queryKey, (list) => list && trimToFirstPage(list));
      await client.invalidateQueries({ queryKey, exact: true });
    }
    await status;
  });
  const soon = useCallback(() => runThrottled('monitor list', catchUp), []);
  useServerEvents('monitors', soon);
  // A cached list missed the events that arrived while another page was shown.
  const isKept = useRef(inView().length > 0);
  useEffect(() => {
    if (isKept.current) soon();
  }, [soon]);
  useEffect(() => {
    const every = setInterval(soon, live ? LIVE_MS : POLL_MS);
    return () => clearInterval(every);
  }, [live, soon]);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useCallback((inside: boolean) => {
    pointing.current = inside && window.matchMedia('(hover: hover)').matches;
  }, []);
}

function scrolled(): number | undefined {
  return document.querySelector('[data-scroll]')?.scrollTop;
}
