/** What the one-time link brought: in the fragment, which no proxy's log holds, or in the query. */
export function linkToken(url: URL): string | null {
  const fragment = new URLSearchParams(url.hash.slice(1));
  return fragment.get('t') ?? fragment.get('token') ?? url.searchParams.get('token');
}

/**
 * Tells the token of a link that is opened in a tab that shows this page already: only its fragment changes, so nothing
 * is loaded. Returns how to stop.
 */
export function watchLinks(
  page: EventTarget & { readonly location: { readonly href: string } },
  arrived: (token: string) => void,
): () => void {
  const look = () => {
    const token = linkToken(new URL(page.location.href));
    if (token !== null) arrived(token);
  };
  page.addEventListener('hashchange', look);
  return () => page.removeEventListener('hashchange', look);
}
