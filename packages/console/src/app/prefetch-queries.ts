import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../data/session.ts';
import type { PageRoute, PrefetchLocation } from './page-route.ts';

/**
 * Starts the queries of a page once its code is loaded and the user is signed in to the organization in the
 * URL. Ignores errors, because the page repeats failed queries and shows their errors.
 */
export async function prefetchQueries(
  client: QueryClient,
  load: PageRoute['load'],
  place: PrefetchLocation,
): Promise<void> {
  try {
    const [{ ask }, session] = await Promise.all([load(), client.fetchQuery(sessionQuery)]);
    if (session.state === 'signed_in' && session.org.id === place.params['org']) ask?.(client, place);
  } catch {
    // The shell reports errors of loading the code or the session.
  }
}
