/**
 * Returns the token of a one-time link from the URL fragment, which proxies do not log, or from the query.
 * Null if there is none.
 */
export function parseLinkToken(url: URL): string | null {
  const fragment = new URLSearchParams(url.hash.slice(1));
  return fragment.get('t') ?? fragment.get('token') ?? url.searchParams.get('token');
}

/**
 * Reports the token when a link is opened in a tab that already shows this page. Only the fragment changes
 * then, so the page does not reload. Returns a function that stops reporting.
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
