import type { Member } from '@floe/contract/api/members';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useMemo, useState } from 'react';
import { type ApiPage, getJson } from './api-client.ts';

const FEW = 3;
const KEPT_MS = 5 * 60_000;

/** The query for members who have permissions that others lack: a few members of each role. */
const helpersQuery = queryOptions({
  queryKey: ['members', 'helpers'],
  queryFn: ({ signal }) =>
    Promise.all(
      (['admin', 'owner'] as const).map((role) =>
        getJson<ApiPage<Member>>('api/management/members', { role, limit: FEW }, signal),
      ),
    ),
  select: (pages) => pages.flatMap(({ data }) => data),
  staleTime: KEPT_MS,
});

interface Helpers {
  readonly members: readonly Member[];
  /** Starts the query. Called when an action is not permitted. */
  readonly load: () => void;
}

const NO_MEMBERS: readonly Member[] = [];

/**
 * The members whom the user can ask about actions that the user’s role does not permit, and a function that
 * starts loading these members.
 */
export const PermissionContactsContext = createContext<Helpers>({
  members: NO_MEMBERS,
  load: () => undefined,
});

/**
 * Provides the members whom the user can ask about actions that the user’s role does not permit. The members
 * are loaded when they are first needed.
 */
export function PermissionContactsProvider({ children }: { readonly children: ReactNode }) {
  const [isNeeded, setNeeded] = useState(false);
  const { data: members = NO_MEMBERS } = useQuery({ ...helpersQuery, enabled: isNeeded });
  const load = useCallback(() => setNeeded(true), []);
  const value = useMemo(() => ({ members, load }), [members, load]);
  return <PermissionContactsContext value={value}>{children}</PermissionContactsContext>;
}
