import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../data/session.ts';
import type { PageRoute, PrefetchLocation } from './page-route.ts';

/**
 * Lets a page ask for what it will read as soon as its code is there and somebody is signed in to the org of its address.
 * What fails is asked again by the page, which says so.
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
    // Neither code nor session: the shell tells it.
  }
}
