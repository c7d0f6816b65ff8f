/**
 * Converts between router search parameters and readable query strings with the API’s own parameter names.
 * Pure.
 */

/** Formats search parameters as a query string. Leaves characters unescaped where a URL allows them. */
export function formatQueryString(search: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) query.append(name, String(one));
  const text = query.toString().replace(/%(2C|3A|2F|2A|21|3E|3C)/g, (code) => decodeURIComponent(code));
  return text === '' ? '' : `?${text}`;
}

/** Parses a query string into search parameters. A repeated parameter becomes a list. */
export function parseQueryString(text: string): Record<string, string | string[]> {
  const search: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const known = search[name];
    search[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
  }
  return search;
}

/**
 * Returns the path to open after sign-in. Accepts only console paths, so that a link cannot redirect to
 * another site; otherwise returns `/`.
 */
export function resolvePathAfterSignIn(next: string | null): string {
  return next && /^\/(?![/\\])[^\\]*$/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}
