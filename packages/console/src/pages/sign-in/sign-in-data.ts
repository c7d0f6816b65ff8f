import type { invitationPreview, setupPreview } from '@floe/contract/api/session';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { sendJson } from '../../data/api-client.ts';
import { getPasskeyAssertion } from '../../data/passkey.ts';

export interface Account {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

export function signInWithPassword(email: string, password: string): Promise<unknown> {
  return sendJson('POST', 'api/session/password', { email, password });
}

export async function signInWithPasskey(): Promise<unknown> {
  const options = await sendJson<unknown>('POST', 'api/session/passkey/options');
  return sendJson('POST', 'api/session/passkey', { credential: await getPasskeyAssertion(options) });
}

/** Makes the first account of an installation, with the link that the first start printed. */
export function setUp(token: string, account: Account): Promise<unknown> {
  return sendJson('POST', 'api/session/setup', { token, ...account });
}

export type SetupPreview = z.output<typeof setupPreview>;

/** Whether the one-time link can still be taken; the error says when it was, or why not. */
export function setupQuery(token: string | null) {
  return queryOptions({
    queryKey: ['setup', token],
    queryFn: () => sendJson<SetupPreview>('POST', 'api/session/setup/preview', { token }),
    enabled: token !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

export type InvitationPreview = z.output<typeof invitationPreview>;

/** What an invitation invites to, and whom. */
export function invitationQuery(token: string) {
  return queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => sendJson<InvitationPreview>('POST', 'api/session/invitation/preview', { token }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** Takes an invitation into an org; whoever is signed in as its account sends no account. */
export function acceptInvitation(token: string, account: Account | null): Promise<unknown> {
  const { name, password } = account ?? { name: undefined, password: undefined };
  return sendJson('POST', 'api/session/invitation', { token, name: name || undefined, password });
}

/** Why an issuer led back without signing anybody in (`/sign-in?error=`), and what to do about it. */
export const ISSUER_ERRORS: Readonly<Record<string, string>> = {
  access_denied: 'The issuer, or you there, said no. Try again, or sign in another way.',
  not_allowed: 'None of your groups may sign in here. Ask an owner to map one, or for an invitation.',
  email_not_verified: 'The issuer does not confirm your e-mail address. Ask its administrator.',
  account_exists:
    'An account with your e-mail address exists. Sign in to it another way, then connect this issuer in Settings, Account.',
  account_mismatch:
    'The issuer confirmed another person than who is signed in. Sign out there and try again.',
  expired: 'That took more than ten minutes, or was begun in another browser. Try again.',
  unavailable: 'The issuer cannot be reached. Try again in a moment, or sign in another way.',
  too_many_attempts: 'Too many tries. Wait a few minutes, then try again.',
  failed: 'The answer of the issuer did not fit. The log of Floe says how.',
};
