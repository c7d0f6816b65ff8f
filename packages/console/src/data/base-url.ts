/** Base URL of Floe with its path prefix, from the `<base href>` that the server wrote. Ends in `/`. */
export const BASE_URL = new URL(document.baseURI);

/** Path prefix for the router: an empty string or, for example, `/floe`. */
export const BASE_PATH = BASE_URL.pathname.replace(/\/$/, '');

/** Returns the URL of an API path such as `api/session`. */
export function buildApiUrl(path: string): URL {
  return new URL(path.replace(/^\//, ''), BASE_URL);
}
