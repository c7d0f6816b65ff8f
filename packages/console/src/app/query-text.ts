/** Queries as they stand in the address bar: the API's own parameters, readable. Pure. */

/** Router search to text: values stay as people would type them where a URL allows it. */
export function formatQueryString(search: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) query.append(name, String(one));
  const text = query.toString().replace(/%(2C|3A|2F|2A|21|3E|3C)/g, (code) => decodeURIComponent(code));
  return text === '' ? '' : `?${text}`;
}

/** The text back to router search; a parameter that stands twice becomes a list. */
export function parseQueryString(text: string): Record<string, string | string[]> {
  const search: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const known = search[name];
    search[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
  }
  return search;
}

/** Where to go after signing in: a path of the console, never an address of another site. */
export function parseNextPath(next: string | null): string {
  return next && /^\/(?![/\\])[^\\]*$/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}
