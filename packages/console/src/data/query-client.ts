import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { ORG_HEADER } from './base-url.ts';
import { runInNextFrame } from './run-in-next-frame.ts';
import { sessionQuery } from './session.ts';

/**
 * Creates the query client. If a response shows that the session has ended or is in another organization, the session
 * is refetched, which opens the sign-in page or shows a banner.
 */
export function createQueryClient(): QueryClient {
  // Renders responses that arrive together in one frame, because a page has up to twenty of them.
  notifyManager.setScheduler(runInNextFrame);
  const client: QueryClient = new QueryClient({
    // Requests are sent even if the browser reports that it is offline: Floe can run on this computer or network.
    defaultOptions: {
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        // Retries once if the error may be temporary. Does not retry a request that the server rejected.
        retry: (failures, error) => failures < 1 && error instanceof ApiError && isPassing(error.status),
      },
    },
    queryCache: new QueryCache({
      onError(error, query) {
        if (query.queryKey[0] !== 'session') refetchLostSession(error);
      },
    }),
    mutationCache: new MutationCache({ onError: refetchLostSession }),
  });
  function refetchLostSession(error: Error): void {
    if (error instanceof ApiError && (error.status === 401 || error.param === ORG_HEADER))
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }
  return client;
}

function isPassing(status: number): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}
