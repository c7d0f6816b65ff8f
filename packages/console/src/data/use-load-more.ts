import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';

/** The fields of a paginated query that are needed to load its next page. */
export type NextPageQuery = Pick<
  UseInfiniteQueryResult,
  'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'error'
> & { readonly fetchNextPage: () => Promise<unknown> };

/**
 * Returns the function to call when the end of a list comes into view. It loads the next page, unless the last
 * attempt failed: the end stays in view, so the request would be sent again immediately. `LoadMoreButton` then
 * shows the error and tries again.
 * @param isBusy Whether a request is in progress that loading the next page would cancel.
 */
export function useLoadMore(
  { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage }: NextPageQuery,
  isBusy = isFetchingNextPage,
): () => void {
  const isReady = hasNextPage && !isBusy && !isFetchNextPageError;
  return useCallback(() => {
    if (isReady) void fetchNextPage();
  }, [isReady, fetchNextPage]);
}
