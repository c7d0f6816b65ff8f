import type { Role } from '@floe/contract/roles';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { get, send } from './api-client.ts';

export interface OrgName {
  readonly id: string;
  readonly name: string;
}

export interface SignedIn {
  readonly state: 'signed_in';
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly member_id: string;
  readonly role: Role;
  readonly team: string | null;
  readonly org: OrgName;
  readonly orgs: readonly OrgName[];
  readonly stepped_up_until: string | null;
  readonly expires_at: string;
}

export interface SignedOut {
  readonly state: 'signed_out';
  /** True while nobody has an account: the one-time link makes the first owner. */
  readonly setup: boolean;
  readonly methods: {
    readonly password: boolean;
    readonly passkey: boolean;
    readonly oidc: readonly { readonly name: string }[];
  };
}

export type Session = SignedIn | SignedOut;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get<Session>('api/session', undefined, signal),
  staleTime: 60_000,
});

/** Who is signed in. Undefined while the first answer is on its way. */
export function useSession(): Session | undefined {
  return useQuery(sessionQuery).data;
}

/** Who is signed in to the org whose shell stands around: every control reads it, and none has to watch the query. */
export const SignedInContext = createContext<SignedIn | null>(null);

/** The signed-in session; only below the shell of an org, which is drawn for nobody else. */
export function useSignedIn(): SignedIn {
  const session = use(SignedInContext);
  if (session === null) throw new Error('This part is only drawn for a signed-in member.');
  return session;
}

/** Ends the session; whatever was read with it is forgotten. */
export async function signOut(client: QueryClient): Promise<void> {
  await send('DELETE', 'api/session');
  client.clear();
}

/** Turns the session to another of the person's orgs; whatever was read of the old one is forgotten. */
export async function enterOrg(client: QueryClient, orgId: string): Promise<void> {
  await send('POST', 'api/session/org', { org_id: orgId });
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}
