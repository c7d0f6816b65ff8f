import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { PageQueryPrefetcher } from '../../app/page-route.ts';
import { useUrlState } from '../../app/url-state.ts';
import { buildAnnotationsQuery } from '../../data/annotations.ts';
import { useLoadMore } from '../../data/use-load-more.ts';
import { toFilterTokens } from '../../filters/filter-text.ts';
import { selectQueryParameters } from '../../filters/select-query-parameters.ts';
import { toTimeRangeParameters } from '../../filters/time-range.ts';
import { resolveUrlTimeRange } from '../../filters/url-time-range.ts';
import { useLiveTail } from './live-tail.ts';
import {
  buildRequestOutcomesQuery,
  buildRequestSummaryQuery,
  buildRequestsQuery,
  toRequestFilters,
} from './request-data.ts';
import { REQUEST_FILTER_FIELDS } from './request-fields.ts';
import { listMetadataKeys, mergeRequestRows } from './request-rows.ts';

/** The request list of the URL: its filters, rows and live updates. */
export type RequestList = ReturnType<typeof useRequestList>;

/** URL parameters that change how the list is displayed, but not its content. */
const DISPLAY_PARAMETERS: ReadonlySet<string> = new Set(['open', 'cols', 'live', 'view']);

function listParameters(query: URLSearchParams): string {
  return selectQueryParameters(query, (name) => !DISPLAY_PARAMETERS.has(name));
}

function parseListUrl(link: string) {
  const query = new URLSearchParams(link);
  const span = resolveUrlTimeRange(`requests ${link}`, query);
  const tokens = toFilterTokens(query, REQUEST_FILTER_FIELDS);
  return { span, tokens, filters: toRequestFilters(tokens, span) };
}

/** Starts the queries of the page before it is rendered. */
export const prefetchRequests: PageQueryPrefetcher = (client, { query }) => {
  const { span, filters } = parseListUrl(listParameters(query));
  void client.prefetchInfiniteQuery(buildRequestsQuery(filters));
  void client.prefetchQuery(buildRequestSummaryQuery(filters, span));
  void client.prefetchQuery(buildAnnotationsQuery(toTimeRangeParameters(span)));
  void client.prefetchQuery(buildRequestOutcomesQuery(filters, span));
};

/**
 * Returns the request list for the filters in the URL, including requests that arrive while the page is open.
 */
export function useRequestList() {
  const { query, change } = useUrlState();
  const key = listParameters(query);
  const { span, tokens, filters } = useMemo(() => parseListUrl(key), [key]);
  const list = buildRequestsQuery(filters);
  const answer = useInfiniteQuery({ ...list, placeholderData: (before) => before });
  const live = span.range !== null && query.get('live') !== '0';
  const isOpen = query.has('open');
  const { isHeld, point } = useHoldRows(isOpen);
  const pages = answer.data?.pages;
  const paged = useMemo(() => pages?.flatMap(({ data }) => data) ?? [], [pages]);
  const knownIds = useMemo(() => new Set(paged.map(({ id }) => id)), [paged]);
  const liveId = answer.isPlaceholderData ? null : (pages?.[0]?.live_id ?? null);
  const client = useQueryClient();
  const reload = useCallback(
    () => void client.resetQueries({ queryKey: ['requests', filters], exact: true }),
    [client, filters],
  );
  const tail = useLiveTail({ filters, on: live, liveId, knownIds, isHeld, reload });
  const rows = useMemo(
    () => (tail.rows.length === 0 ? paged : mergeRequestRows(paged, tail.rows)),
    [paged, tail.rows],
  );
  // A column named in the URL is shown even if no row has its metadata key.
  const named = query.get('cols') ?? '';
  const found = useMemo(() => {
    const asked = [...named.matchAll(/(?:^|,)metadata\.([^,]+)/g)].flatMap(([, name]) => name ?? []);
    return JSON.stringify([...new Set([...asked, ...listMetadataKeys(paged)])]);
  }, [paged, named]);
  // The list keeps its identity while its content is the same, because a new list would render all columns
  // and rows again.
  const metadata = useMemo((): readonly string[] => JSON.parse(found), [found]);
  const end = useLoadMore(list.queryKey, answer);
  return { query, change, key, span, tokens, filters, rows, answer, tail, live, ...end, point, metadata };
}

/**
 * Returns a function that returns whether rows must not move: the user is pointing at them, has scrolled, or is
 * reading one.
 */
function useHoldRows(isOpen: boolean) {
  const pointing = useRef(false);
  const reading = useRef(isOpen);
  reading.current = isOpen;
  const [, redraw] = useState(0);
  const isHeld = useCallback(
    () =>
      pointing.current || reading.current || (document.querySelector('[data-scroll]')?.scrollTop ?? 0) > 40,
    [],
  );
  const point = (inside: boolean) => {
    pointing.current = inside && window.matchMedia('(hover: hover)').matches;
    if (!inside) redraw((count) => count + 1);
  };
  return { isHeld, point };
}
