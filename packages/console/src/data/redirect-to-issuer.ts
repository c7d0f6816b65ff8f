import { BASE_PATH, buildApiUrl } from './base-url.ts';

/**
 * Redirects the browser to an identity provider. After sign-in, the browser returns to `next`, a path
 * relative to the base URL.
 */
export function redirectToIssuer(
  name: string,
  next: string,
  asked: Readonly<Record<string, string>> = {},
): void {
  const url = buildApiUrl(`api/session/oidc/${encodeURIComponent(name)}/start`);
  for (const [field, value] of Object.entries(asked)) url.searchParams.set(field, value);
  url.searchParams.set('return_to', `${BASE_PATH}${next}`);
  location.assign(url);
}
