import type { Member } from '@floe/contract/api/members';
import { useQuery } from '@tanstack/react-query';
import { getJson } from './api-client.ts';

const KEPT_MS = 5 * 60_000;

/** The name of who has this id, as far as it is that of a member who is still there; else the id. */
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
