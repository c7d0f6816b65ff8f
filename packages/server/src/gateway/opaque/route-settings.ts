import type { UpstreamTimeouts } from '../../providers/configured-provider.ts';
import { DEFAULT_RETRIES_PER_TARGET, type OrgCatalog } from '../org-catalog.ts';

/**
 * Returns the retries and timeouts that an organization's routes define for the model id
 * `<provider>/<model>`. Does not use the targets of these routes.
 */
export function findRouteSettings(
  { routes }: OrgCatalog,
  id: string,
): { readonly retries: number; readonly timeouts: Partial<UpstreamTimeouts> } {
  const route = routes.find((candidate) => candidate.matches(id));
  return route ?? { retries: DEFAULT_RETRIES_PER_TARGET, timeouts: {} };
}
