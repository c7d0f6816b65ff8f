import { Fault } from '@floe/contract/faults';
import type { Site } from '../../platform/sign-in/site.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Rejects a request that changes something with a session cookie, unless a page of this installation sent it.
 * `Sec-Fetch-Site` decides, which browsers send to secure origins. Otherwise `Origin` must match. A request
 * with neither header is not from a current browser, and can use a platform key instead of a cookie.
 *
 * @throws Fault `cross_site_request`
 */
export function rejectCrossSite(method: string, headers: Headers, site: Site): void {
  if (SAFE_METHODS.has(method)) return;
  const fetchSite = headers['sec-fetch-site'];
  if (fetchSite === 'same-origin' || fetchSite === 'none') return;
  const { origin } = headers;
  if (fetchSite === undefined && typeof origin === 'string' && site.origins.has(origin)) return;
  throw new Fault(
    'cross_site_request',
    `This request comes from no page of this Floe. Open the console at ${site.baseUrl}; if that is not where people find it, set server.base_url. Scripts use a platform key.`,
  );
}
