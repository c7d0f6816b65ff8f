import { send } from '../../data/api-client.ts';
import { apiUrl, BASE_PATH } from '../../data/base.ts';
import { askPasskey } from './passkey.ts';

/** What the one-time link brought: in the fragment, which no proxy's log holds, or in the query. */
export function linkToken(url: URL): string | null {
  const fragment = new URLSearchParams(url.hash.slice(1));
  return fragment.get('t') ?? fragment.get('token') ?? url.searchParams.get('token');
}

export interface Account {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

export function signInWithPassword(email: string, password: string): Promise<unknown> {
  return send('POST', 'api/session/password', { email, password });
}

export async function signInWithPasskey(): Promise<unknown> {
  const options = await send<unknown>('POST', 'api/session/passkey/options');
  return send('POST', 'api/session/passkey', { credential: await askPasskey(options) });
}

/** Leads to an issuer of the organization, and from there back to `next`, a path below the base. */
export function signInByIssuer(name: string, next: string): void {
  const url = apiUrl(`api/session/oidc/${encodeURIComponent(name)}/start`);
  url.searchParams.set('return_to', `${BASE_PATH}${next}`);
  location.assign(url);
}

/** Makes the first account of an installation, with the link that the first start printed. */
export function setUp(token: string, account: Account): Promise<unknown> {
  return send('POST', 'api/session/setup', { token, ...account });
}

/** Takes an invitation into an org. */
export function acceptInvitation(token: string, account: Account): Promise<unknown> {
  return send('POST', 'api/session/invitation', { token, name: account.name, password: account.password });
}
