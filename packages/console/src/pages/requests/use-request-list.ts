import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { tokensOf } from '../../filters/filter-text.ts';
import { spanOf, type TimeSpan } from '../../filters/time-range.ts';
import { useLiveTail } from './live-tail.ts';
import { apiFilters, requestsQuery } from './request-data.ts';
import { REQUEST_FIELDS } from './request-fields.ts';
import { merged, metadataKeys } from './request-rows.ts';

export type RequestList = ReturnType<typeof useRequestList>;

/** Parameters that say how the list is looked at, not what is in it. */
const LOOKS: ReadonlySet<string> = new Set(['open', 'cols', 'live', 'view']);

/** The list a URL asks for, with what arrives while it is shown. */
export function useRequestList() {
  const { query, change } = useUrlState();
  const key = [...query].filter(([name]) => !LOOKS.has(name)).join('&');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is what the key is made of.
  const { span, tokens, filters } = useMemo(() => {
    const time = spanOfLink(key, query);
    const found = tokensOf(query, REQUEST_FIELDS);
    return { span: time, tokens: found, filters: apiFilters(found, time) };
  }, [key]);
  const answer = useInfiniteQuery({ ...requestsQuery(filters), placeholderData: (before) => before });
  const live = span.range !== null && query.get('live') !== '0';
  const isOpen = query.has('open');
  const { held, point } = useHolding(isOpen);
  const pages = answer.data?.pages;
  const paged = useMemo(() => pages?.flatMap(({ data }) => data) ?? [], [pages]);
  const known = useMemo(() => new Set(paged.map(({ id }) => id)), [paged]);
  const liveId = answer.isPlaceholderData ? null : (pages?.[0]?.live_id ?? null);
  const client = useQueryClient();
  const reread = useCallback(
    () => void client.resetQueries({ queryKey: ['requests', filters], exact: true }),
    [client, filters],
  );
  const tail = useLiveTail({ filters, on: live, liveId, known, held, reread });
  const rows = useMemo(() => (tail.rows.length === 0 ? paged : merged(paged, tail.rows)), [paged, tail.rows]);
  // A link that names a column has it before any row does.
  const named = query.get('cols') ?? '';
  const metadata = useMemo(() => {
    const asked = [...named.matchAll(/(?:^|,)metadata\.([^,]+)/g)].flatMap(([, name]) => name ?? []);
    return [...new Set([...asked, ...metadataKeys(paged)])];
  }, [paged, named]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = answer;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { query, change, key, span, tokens, filters, rows, answer, tail, live, more, point, metadata };
}

/** Whether rows must stay where they are: somebody points at them, has scrolled, or reads one. */
function useHolding(isOpen: boolean) {
  const pointing = useRef(false);
  const reading = useRef(isOpen);
  reading.current = isOpen;
  const [, redraw] = useState(0);
  const held = useCallback(
    () =>
      pointing.current || reading.current || (document.querySelector('[data-scroll]')?.scrollTop ?? 0) > 40,
    [],
  );
  const point = (inside: boolean) => {
    pointing.current = inside && window.matchMedia('(hover: hover)').matches;
    if (!inside) redraw((count) => count + 1);
  };
  return { held, point };
}

/** As long as rows that were left are kept. */
const SAME_MS = 5 * 60_000;
const spans = new Map<string, { readonly span: TimeSpan; readonly at: number }>();

/** A relative time is resolved once per link: rows that are paged through must not slide, nor be others after Back. */
function spanOfLink(key: string, query: URLSearchParams): TimeSpan {
  const now = new Date();
  const known = spans.get(key);
  if (known && now.getTime() - known.at < SAME_MS) return known.span;
  const span = spanOf(query, now);
  if (spans.size > 50) spans.clear();
  spans.set(key, { span, at: now.getTime() });
  return span;
}
