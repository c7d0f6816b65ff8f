/** Where Floe answers, with its path prefix: what the server wrote into `<base href>`. Ends in `/`. */
export const BASE_URL = new URL(document.baseURI);

/** The path prefix for the router: '' or `/floe`. */
export const BASE_PATH = BASE_URL.pathname.replace(/\/$/, '');

/** The address of a path of the API, such as `api/session`. */
export function apiUrl(path: string): URL {
  return new URL(path.replace(/^\//, ''), BASE_URL);
}
