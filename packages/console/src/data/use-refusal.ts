import type { Member } from '@floe/contract/api/members';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { get, type Page } from './api-client.ts';
import { type Action, can, helpersWith, refusal } from './permissions.ts';
import { useSession } from './session.ts';

const FEW = 3;
const KEPT_MS = 5 * 60_000;

/** Who can do what others may not: a few of each role, read once somebody is refused something. */
const helpersQuery = queryOptions({
  queryKey: ['members', 'helpers'],
  queryFn: ({ signal }) =>
    Promise.all(
      (['admin', 'owner'] as const).map((role) =>
        get<Page<Member>>('api/management/members', { role, limit: FEW }, signal),
      ),
    ),
  select: (pages) => pages.flatMap(({ data }) => data),
  staleTime: KEPT_MS,
});

/** Why the signed-in person may not do this, or null when they may. */
export function useRefusal(action: Action | undefined): string | null {
  const session = useSession();
  const isRefused =
    action !== undefined && session?.state === 'signed_in' && !can(session.role, action) ? action : null;
  const { data: people = [] } = useQuery({ ...helpersQuery, enabled: isRefused !== null });
  if (isRefused === null) return null;
  const named = helpersWith(isRefused).flatMap((role) =>
    people.filter((person) => person.role === role).map(({ name, email }) => name || email),
  );
  return refusal(isRefused, named);
}
