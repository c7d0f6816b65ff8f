import type { MonitorSummary } from '@floe/contract/api/monitor-history';
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
import { useEventStreamState, useServerEvents } from '../../data/use-server-events.ts';
import { toFilterQuery, toFilterTokens } from '../../filters/filter-text.ts';
import {
  buildMonitorSummaryQuery,
  buildMonitorsQuery,
  MONITOR_FILTERS,
  refreshMonitors,
} from './monitor-data.ts';
import { allChannelsQuery } from './monitor-references.ts';
import { type LoadedMonitorPages, mergeMonitorPages, trimToFirstPage } from './monitor-rows.ts';

/** The status history of the last day by monitor ID. */
export type RecentHistoryByMonitor = ReadonlyMap<string, MonitorSummary['recent'][number]>;

/** Number of rows whose last day is requested together. */
const BLOCK_ROWS = 50;
/** Number of rows assumed to be visible until the table reports the visible rows. */
const FIRST_LOOK = 24;
const EVENT_MS = 1_000;
const LIVE_MS = 60_000;
/** Poll interval in milliseconds without an event stream. */
const POLL_MS = 10_000;
/** Scroll distance in pixels above which the user is considered to be reading, so that rows must not move. */
const TOP_PX = 40;

/** Starts the queries of the page: first the first rows, then their status history. */
export const prefetchMonitors: PageQueryPrefetcher = (client, { query }) => {
  const list = buildMonitorsQuery(toFilterQuery(toFilterTokens(query, MONITOR_FILTERS)));
  void client.prefetchQuery(buildMonitorSummaryQuery([]));
  void client.prefetchQuery(allChannelsQuery);
  void client.fetchInfiniteQuery(list).then(
    ({ pages }) => {
      const ids = mergeMonitorPages(pages)
        .slice(0, BLOCK_ROWS)
        .map(({ id }) => id);
      if (ids.length > 0) void client.prefetchQuery(buildMonitorSummaryQuery(ids.toSorted()));
    },
    () => undefined,
  );
};

/**
 * Manages a list of any number of monitors, most urgent first. Pages load on scroll, the last day loads for
 * visible rows, and the server counts the statuses. When monitors change, only visible rows are refetched.
 * Rows change their positions only while the user is not reading the list.
 * @param isBusy Returns whether rows are selected, in which case they must not move.
 */
export function useMonitorList(filters: Readonly<Record<string, string>>, isBusy: () => boolean) {
  const answer = useInfiniteQuery({ ...buildMonitorsQuery(filters), placeholderData: keepPreviousData });
  const rows = useMemo(() => mergeMonitorPages(answer.data?.pages ?? []), [answer.data]);
  const shown = useRef<VisibleRange>({ first: 0, last: FIRST_LOOK });
  const [blocks, setBlocks] = useState(blocksOf(shown.current));
  const onShown = useCallback((first: number, last: number) => {
    shown.current = { first, last };
    const next = blocksOf(shown.current);
    setBlocks((before) => (before.first === next.first && before.last === next.last ? before : next));
  }, []);
  const recent = useRecent(rows, blocks);
  const { data: standing } = useQuery(buildMonitorSummaryQuery([]));
  const point = useListRefresh(
    filters,
    () => rows.slice(shown.current.first, shown.current.last + 1),
    isBusy,
  );
  const { hasNextPage, isFetching, fetchNextPage } = answer;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return { answer, rows, recent, counts: standing?.counts, more, onShown, point };
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
    queries: blocks.filter((ids) => ids.length > 0).map((ids) => buildMonitorSummaryQuery(ids.toSorted())),
    combine: recentOf,
  });
}

function recentOf(
  answers: readonly { readonly data?: MonitorSummary | undefined }[],
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
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const catchUp = useEffectEvent(() => {
    if (document.hidden) return;
    void client.invalidateQueries({ queryKey: ['monitors', 'status'] });
    const ids = inView().map(({ id }) => id);
    const isRead = pointing.current || isBusy() || (scrolled() ?? 0) > TOP_PX;
    if (isRead && ids.length > 0) void refreshMonitors(client, ids.slice(0, 100)).catch(() => undefined);
    else if (!isRead) {
      const { queryKey } = buildMonitorsQuery(filters);
      client.setQueryData<LoadedMonitorPages>(queryKey, (list) => list && trimToFirstPage(list));
      void client.invalidateQueries({ queryKey, exact: true });
    }
  });
  const soon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      catchUp();
    }, EVENT_MS);
  }, []);
  useServerEvents('monitors', soon);
  // A cached list missed the events that arrived while another page was shown.
  const isKept = useRef(inView().length > 0);
  useEffect(() => {
    if (isKept.current) soon();
  }, [soon]);
  useEffect(() => {
    const every = setInterval(() => catchUp(), live ? LIVE_MS : POLL_MS);
    return () => clearInterval(every);
  }, [live]);
  useEffect(
    () => () => {
      if (timer.current) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return useCallback((inside: boolean) => {
    pointing.current = inside && window.matchMedia('(hover: hover)').matches;
  }, []);
}

function scrolled(): number | undefined {
  return document.querySelector('[data-scroll]')?.scrollTop;
}
