import { queryOptions } from '@tanstack/react-query';
import { BASE_PATH, buildApiUrl } from './base-url.ts';
import type { Session, SignedOutSession } from './session.ts';

/**
 * The query for the sign-in methods. The API returns them only to clients without a session, so the request
 * sends no cookie.
 */
export const signInMethodsQuery = queryOptions({
  queryKey: ['session', 'methods'],
  queryFn: async ({ signal }): Promise<SignedOutSession['methods']> => {
    const answer = await fetch(buildApiUrl('api/session'), { credentials: 'omit', signal });
    const session: Session = await answer.json();
    return session.state === 'signed_out' ? session.methods : { password: true, passkey: true, oidc: [] };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

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
