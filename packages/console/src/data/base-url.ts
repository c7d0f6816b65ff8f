/** Base URL of Floe with its path prefix, from the `<base href>` that the server wrote. Ends in `/`. */
export const BASE_URL = new URL(document.baseURI);

/** Path prefix for the router: an empty string or, for example, `/floe`. */
export const BASE_PATH = BASE_URL.pathname.replace(/\/$/, '');

/** Returns the URL of an API path such as `api/session`. */
export function buildApiUrl(path: string): URL {
  return new URL(path.replace(/^\//, ''), BASE_URL);
}

/**
 * The name of the header, or of the query parameter in links, that contains the id of the page’s organization. If
 * another tab has switched the session to another organization, the API rejects the request.
 */
export const ORG_HEADER = 'x-floe-org';

/** Returns the ID of the organization in the URL of the page, or undefined outside the pages of an organization. */
export function getPageOrgId(): string | undefined {
  return /^\/o\/([^/]+)/.exec(location.pathname.slice(BASE_PATH.length))?.[1];
}
