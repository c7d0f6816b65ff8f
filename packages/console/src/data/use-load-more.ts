import {
  hashKey,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { useCallback, useState } from 'react';

/** The fields of a paginated query that are needed to load its next page. */
type PagedAnswer = Pick<
  UseInfiniteQueryResult<InfiniteData<unknown, unknown>>,
  'data' | 'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'error'
> & { readonly fetchNextPage: () => Promise<unknown> };

/** The last failed attempt to load a next page. */
interface Failure {
  /** The query key and the number of loaded pages. */
  readonly place: string;
  readonly error: Error | null;
  readonly isRetried: boolean;
}

/** The state of the next page of a list that loads page by page, and a function that loads the page. */
export interface NextPageState {
  readonly exists: boolean;
  readonly isLoading: boolean;
  /** The error of the last attempt to load the page. */
  readonly error: Error | null;
  /** Loads the page. Call it only for an action of the user. */
  readonly load: () => void;
}

/**
 * Returns the state of the next page, and the function `more` to call when the end of the list comes into view. It
 * loads the next page, unless the last attempt failed. After a failure, the end of the list stays in view. Without this
 * rule, a polled list would request the failing page again with each refetch. `LoadMoreButton` shows the error until
 * the user tries again.
 * @param isBusy Whether a request is in progress that loading the next page would cancel.
 */
export function useLoadMore(
  queryKey: QueryKey,
  { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage }: PagedAnswer,
  isBusy = isFetchingNextPage,
): { readonly more: () => void; readonly nextPage: NextPageState } {
  // A refetch clears the error of the query, but loads only the pages before the one that failed.
  const place = `${hashKey(queryKey)} ${data?.pages.length}`;
  const [failure, setFailure] = useState<Failure>({ place: '', error: null, isRetried: false });
  if (isFetchNextPageError && failure.error !== error) setFailure({ place, error, isRetried: false });
  const hasFailed = failure.place === place && !failure.isRetried;
  const isReady = hasNextPage && !isBusy && !hasFailed;
  const more = useCallback(() => {
    if (isReady) void fetchNextPage();
  }, [isReady, fetchNextPage]);
  const load = () => {
    setFailure((last) => ({ ...last, isRetried: true }));
    void fetchNextPage();
  };
  const nextPage = {
    exists: hasNextPage,
    isLoading: isFetchingNextPage,
    error: hasFailed ? failure.error : null,
    load,
  };
  return { more, nextPage };
}
