import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../data/session.ts';
import type { PageRoute, PrefetchLocation } from './page-route.ts';

/**
 * Starts the queries of a page after its code is loaded and the user is signed in to the organization in the
 * URL. Ignores errors: the page repeats failed queries and shows their errors.
 */
export async function prefetchPageQueries(
  client: QueryClient,
  load: PageRoute['load'],
  location: PrefetchLocation,
): Promise<void> {
  try {
    const [{ prefetch }, session] = await Promise.all([load(), client.fetchQuery(sessionQuery)]);
    if (session.state === 'signed_in' && session.org.id === location.params['org'])
      prefetch?.(client, location);
  } catch {
    // The shell reports errors of loading the code or the session.
  }
}
