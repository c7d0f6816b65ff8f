import type { SessionResource, SignedInSessionResource } from '@floe/contract/api/session';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { getJson } from './api-client.ts';

/** The session of this browser, either signed in or signed out. */
export type Session = SessionResource;
/** The session of a signed-in user: the user, their organization and their role. */
export type SignedInSession = SignedInSessionResource;
/** The session of a browser in which no user is signed in. */
export type SignedOutSession = Extract<Session, { readonly state: 'signed_out' }>;

/** The query for the session of this browser. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => getJson<Session>('api/session', undefined, signal),
  staleTime: 60_000,
});

/** The user and the organization whose data this tab holds. Null until the first page is shown. */
let pageOwner: string | null = null;

/**
 * Returns whether a session belongs to the user and the organization whose data this tab holds. The first session that
 * is passed determines them. For any other session, the page must be loaded again.
 */
export function isSessionOfPage({ user, org }: SignedInSession): boolean {
  const owner = `${user.id} ${org.id}`;
  pageOwner ??= owner;
  return pageOwner === owner;
}

/** Returns the session, or undefined until the first response arrives. */
export function useSession(): Session | undefined {
  return useQuery(sessionQuery).data;
}

/**
 * The context with the session of the signed-in member. With a context, controls can read the session without
 * subscribing to the query.
 */
export const SignedInSessionContext = createContext<SignedInSession | null>(null);

/** Returns the session of the signed-in member. @throws Error outside the organization shell */
export function useSignedInSession(): SignedInSession {
  const session = use(SignedInSessionContext);
  if (session === null) throw new Error('This component requires a signed-in member.');
  return session;
}
