import { queryOptions } from '@tanstack/react-query';
import { apiUrl, BASE_PATH } from './base-url.ts';
import type { Session, SignedOut } from './session.ts';

/** The ways to sign in here. Only who is not signed in is told them: so this asks without the cookie. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['session', 'methods'],
  queryFn: async ({ signal }): Promise<SignedOut['methods']> => {
    const answer = await fetch(apiUrl('api/session'), { credentials: 'omit', signal });
    const session: Session = await answer.json();
    return session.state === 'signed_out' ? session.methods : { password: true, passkey: true, oidc: [] };
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Leads to an issuer of the organization, and from there back to `next`, a path below the base. */
export function redirectToIssuer(
  name: string,
  next: string,
  asked: Readonly<Record<string, string>> = {},
): void {
  const url = apiUrl(`api/session/oidc/${encodeURIComponent(name)}/start`);
  for (const [field, value] of Object.entries(asked)) url.searchParams.set(field, value);
  url.searchParams.set('return_to', `${BASE_PATH}${next}`);
  location.assign(url);
}
