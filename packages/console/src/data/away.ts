import type { gaps } from '@floe/contract/api/monitors';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type * as z from 'zod';
import { type AwaySpan, awayIn } from '../format/away-spans.ts';
import { get } from './api-client.ts';

type Gaps = z.output<typeof gaps>;

const LOOKED_BACK_MS = 400 * 86_400_000;

/** When Floe itself was not there: one answer for every chart of the console. */
export const awayQuery = queryOptions({
  queryKey: ['away'],
  queryFn: ({ signal }) => {
    const from = new Date(Date.now() - LOOKED_BACK_MS).toISOString();
    return get<Gaps>('api/monitoring/gaps', { from }, signal);
  },
  staleTime: 60_000,
  retry: false,
});

/** The spans that a drawing must hatch, for the starts of its intervals in milliseconds. */
export function useAway(at: readonly number[]): readonly AwaySpan[] {
  const { data } = useQuery(awayQuery);
  return useMemo(() => awayIn(data?.data ?? [], at), [data, at]);
}
