import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fetchNextNonEmptyPage } from './api-client.ts';
import { useLoadMore } from './use-load-more.ts';

const PAGE_ROWS = 200;

/**
 * Returns the query for a list of the API. The list loads page by page, in the order of the API. The query key
 * begins with `name`, so that a change can invalidate all lists with that name.
 */
export function buildListQuery<Row>(
  name: string,
  path: string,
  filters: Readonly<Record<string, string>> = {},
) {
  return infiniteQueryOptions({
    queryKey: [name, 'list', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, limit: PAGE_ROWS, cursor: pageParam };
      return fetchNextNonEmptyPage<Row>(path, query, signal);
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/**
 * Returns the query result of a list, its loaded rows, and a function that loads the next page. The rows are
 * undefined until the first page has loaded, so that the list is not shown as empty too early.
 */
export function useListRows<Row>(
  query: ReturnType<typeof buildListQuery<Row>>,
  refetchInterval: number | false = false,
) {
  const answer = useInfiniteQuery({ ...query, refetchInterval, placeholderData: (before) => before });
  const rows = useMemo(() => answer.data?.pages.flatMap(({ data }) => data), [answer.data]);
  return { answer, rows, ...useLoadMore(query.queryKey, answer, answer.isFetching) };
}
