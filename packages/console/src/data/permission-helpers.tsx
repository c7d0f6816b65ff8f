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
  readonly people: readonly Member[];
  /** Starts the query. Called when an action is not permitted. */
  readonly want: () => void;
}

const NOBODY: readonly Member[] = [];

export const PermissionHelpersContext = createContext<Helpers>({ people: NOBODY, want: () => undefined });

/**
 * Provides the members who can help with actions that are not permitted. Loads them once for the page, when
 * they are first needed.
 */
export function PermissionHelpersProvider({ children }: { readonly children: ReactNode }) {
  const [isWanted, setWanted] = useState(false);
  const { data: people = NOBODY } = useQuery({ ...helpersQuery, enabled: isWanted });
  const want = useCallback(() => setWanted(true), []);
  const value = useMemo(() => ({ people, want }), [people, want]);
  return <PermissionHelpersContext value={value}>{children}</PermissionHelpersContext>;
}
