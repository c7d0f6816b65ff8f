import type { SessionView, SignedInSessionView } from '@floe/contract/api/session';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { getJson, sendJson } from './api-client.ts';
import { discardPlaygroundKey } from './created-keys.ts';

export type Session = SessionView;
export type SignedIn = SignedInSessionView;
export type SignedOut = Extract<Session, { readonly state: 'signed_out' }>;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => getJson<Session>('api/session', undefined, signal),
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
  if (session === null) throw new Error('This component requires a signed-in member.');
  return session;
}

/** Ends the session; whatever was read with it is forgotten. */
export async function signOut(client: QueryClient): Promise<void> {
  await sendJson('DELETE', 'api/session');
  discardPlaygroundKey();
  client.clear();
}

/** Turns the session to another of the person's orgs; whatever was read of the old one is forgotten. */
export async function switchToOrg(client: QueryClient, orgId: string): Promise<void> {
  await sendJson('POST', 'api/session/org', { org_id: orgId });
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}
