import { notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { runInNextFrame } from './run-in-next-frame.ts';
import { sessionQuery } from './session.ts';

/** The store of what was read. A session that ended anywhere is asked for again, which brings the sign-in page. */
export function createQueryClient(): QueryClient {
  // Answers that come one after the other are drawn together: a page has up to twenty of them.
  notifyManager.setScheduler(runInNextFrame);
  const client: QueryClient = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        // What the server decided stays decided; only what did not arrive is tried once more.
        retry: (failures, error) => failures < 1 && error instanceof ApiError && isPassing(error.status),
      },
    },
    queryCache: new QueryCache({
      onError(error, query) {
        const ended = error instanceof ApiError && error.status === 401;
        if (ended && query.queryKey[0] !== 'session')
          void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      },
    }),
  });
  return client;
}

function isPassing(status: number): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}
