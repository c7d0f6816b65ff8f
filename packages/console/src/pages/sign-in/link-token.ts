/** The token of a one-time link: in the fragment, which proxies do not log, or in the query. */
export function parseLinkToken(url: URL): string | null {
  const fragment = new URLSearchParams(url.hash.slice(1));
  return fragment.get('t') ?? fragment.get('token') ?? url.searchParams.get('token');
}

/**
 * Reports the token of a link that is opened in a tab that already shows this page. Only the fragment changes then, so
 * the page is not loaded again. Returns a function that stops it.
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
