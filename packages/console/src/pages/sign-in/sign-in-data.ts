import type { invitationPreview, setupPreview } from '@floe/contract/api/session';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { sendJson } from '../../data/api-client.ts';
import { getPasskeyAssertion } from '../../data/passkey.ts';

export interface NewAccount {
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

/** Creates an owner account with the link that Floe printed at the first start. */
export function createOwnerAccount(token: string, account: NewAccount): Promise<unknown> {
  return sendJson('POST', 'api/session/setup', { token, ...account });
}

export type SetupPreview = z.output<typeof setupPreview>;

/**
 * Returns the query that checks whether a one-time link is valid. The error states when the link was used, or
 * why it is not valid.
 */
export function setupPreviewQuery(token: string | null) {
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

/** Returns the query for the organization, role and email address of an invitation. */
export function invitationPreviewQuery(token: string) {
  return queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => sendJson<InvitationPreview>('POST', 'api/session/invitation/preview', { token }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** Accepts an invitation. If the user is already signed in with the invited address, `account` is null. */
export function acceptInvitationLink(token: string, account: NewAccount | null): Promise<unknown> {
  const { name, password } = account ?? { name: undefined, password: undefined };
  return sendJson('POST', 'api/session/invitation', { token, name: name || undefined, password });
}
