/**
 * Returns the token of a one-time link, or null if there is none. The token is in the URL fragment, which
 * proxies do not log, or in the query.
 */
export function parseLinkToken(url: URL): string | null {
  const fragment = new URLSearchParams(url.hash.slice(1));
  return fragment.get('t') ?? fragment.get('token') ?? url.searchParams.get('token');
}

/**
 * Calls `arrived` with the token when the user opens a one-time link in a tab that already shows this page. The
 * page does not reload then, because only the URL fragment changes. Returns a function that stops watching.
 */
export function watchLinkTokens(
  page: EventTarget & { readonly location: { readonly href: string } },
  arrived: (token: string) => void,
): () => void {
  const look = () => {
    const token = parseLinkToken(new URL(page.location.href));
    if (token !== null) arrived(token);
  };
  page.addEventListener('hashchange', look);
  return () => page.removeEventListener('hashchange', look);
}
