import { Fault } from '@floe/contract/faults';
import type { Site } from '../../platform/sign-in/site.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Lets a request that changes something, and is known by its cookie, pass only when a page of this installation made it.
 * Browsers say so themselves (`Sec-Fetch-Site`; they send it to secure addresses); else `Origin` must be ours. A request with
 * neither was made by no browser of today, and needs no cookie: it can use a platform key.
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
    `This request has a session cookie but comes from another site. Open the console at ${site.baseUrl}. If the console has a different URL, set server.base_url to it. In scripts, use a platform key.`,
  );
}
