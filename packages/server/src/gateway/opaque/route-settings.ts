import type { Timeouts } from '../../providers/configured-provider.ts';
import { type Catalog, DEFAULT_RETRIES } from '../catalog.ts';

/** What the org's routes say about tries and deadlines of a `<provider>/<model>`; their targets do not count here. */
export function findRouteSettings(
  { routes }: Catalog,
  id: string,
): { readonly retries: number; readonly timeouts: Partial<Timeouts> } {
  const route = routes.find((candidate) => candidate.matches(id));
  return route ?? { retries: DEFAULT_RETRIES, timeouts: {} };
}
