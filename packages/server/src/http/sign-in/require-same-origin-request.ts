import { Fault } from '@floe/contract/faults';
import type { SignInUrls } from '../../platform/sign-in/sign-in-urls.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Rejects a write request with a session cookie, unless a page of this installation sent the
 * request. If the header `Sec-Fetch-Site` is present, only this header is checked. Browsers send it
 * to secure origins. Otherwise, `Origin` must match. A request without either header does not come
 * from a current browser. Its sender can use a platform key instead of a cookie.
 *
 * @throws Fault `cross_site_request`
 */
export function requireSameOriginRequest(method: string, headers: Headers, site: SignInUrls): void {
  if (SAFE_METHODS.has(method)) return;
  const fetchSite = headers['sec-fetch-site'];
  if (fetchSite === 'same-origin' || fetchSite === 'none') return;
  const { origin } = headers;
  if (fetchSite === undefined && typeof origin === 'string' && site.origins.has(origin)) return;
  throw new Fault(
    'cross_site_request',
    `This request must come from the console, because it is for sign-in or has a session cookie. Open the console at ${site.baseUrl}. If the console has a different URL, set server.base_url to that URL. In scripts, use a platform key.`,
  );
}
