import type { invitationPreview, setupPreview } from '@floe/contract/api/session';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { sendJson } from '../../data/api-client.ts';
import { requestPasskeyAssertion } from '../../data/passkey.ts';

/** The name, email address and password of a new account. */
export interface NewAccount {
  readonly email: string;
  readonly name: string;
  /** Undefined if no one can sign in with a password. */
  readonly password: string | undefined;
}

/** Signs in with an email address and a password. */
export function signInWithPassword(email: string, password: string): Promise<unknown> {
  return sendJson('POST', 'api/session/password', { email, password });
}

/** Signs in with a passkey that the user selects in the browser. */
export async function signInWithPasskey(): Promise<unknown> {
  const options = await sendJson<unknown>('POST', 'api/session/passkey/options');
  return sendJson('POST', 'api/session/passkey', { credential: await requestPasskeyAssertion(options) });
}

/** Creates an owner account with a one-time link, such as the one that Floe printed when it first started. */
export function createOwnerAccount(token: string, account: NewAccount): Promise<unknown> {
  return sendJson('POST', 'api/session/setup', { token, ...account });
}

/** What the API returns about a one-time link for an owner. */
export type SetupPreview = z.output<typeof setupPreview>;

/**
 * Returns the query for the organization and expiry time of a one-time link for an owner. If the link is not
 * valid, the error of the query states why, for example because it was used.
 */
export function buildSetupPreviewQuery(token: string | null) {
  return queryOptions({
    queryKey: ['setup', token],
    queryFn: () => sendJson<SetupPreview>('POST', 'api/session/setup/preview', { token }),
    enabled: token !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** What the API returns about an invitation before it is accepted. */
export type InvitationPreview = z.output<typeof invitationPreview>;

/** Returns the query for the organization, role and email address of an invitation. */
export function buildInvitationPreviewQuery(token: string) {
  return queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => sendJson<InvitationPreview>('POST', 'api/session/invitation/preview', { token }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/**
 * Accepts an invitation. `account` is null if the user is already signed in with the invited email address.
 */
export function acceptInvitationLink(token: string, account: NewAccount | null): Promise<unknown> {
  const { name, password } = account ?? { name: undefined, password: undefined };
  return sendJson('POST', 'api/session/invitation', { token, name: name || undefined, password });
}
