import type { Member } from '@floe/contract/api/members';
import { useQuery } from '@tanstack/react-query';
import { getJson } from './api-client.ts';

const KEPT_MS = 5 * 60_000;

/** Returns the name of the member with this ID, or the ID if there is no such member. */
export function useMemberName(id: string): string {
  const { data } = useQuery({
    queryKey: ['members', 'named', id],
    queryFn: ({ signal }) =>
      getJson<Member>(`api/management/members/${encodeURIComponent(id)}`, undefined, signal),
    enabled: id.startsWith('mem_'),
    retry: false,
    staleTime: KEPT_MS,
  });
  return data ? data.name || data.email : id;
}
