import type { annotations } from '@floe/contract/api/charts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { get } from './api-client.ts';
import { useLiveQuery } from './events.ts';
import type { Mark } from './mark-words.ts';

const KEY = ['analytics', 'marks'];
const NONE: readonly Mark[] = [];

/** What may have changed the requests of a time: configuration, breakers, notes. */
export function marksQuery(time: Readonly<Record<string, string>>) {
  return queryOptions({
    queryKey: [...KEY, time],
    // The words come with the first answer: pages are drawn before.
    queryFn: async ({ signal }): Promise<readonly Mark[]> => {
      const query = { from: time['from'], to: time['to'], about: 'traffic' };
      const [answer, { markOf }] = await Promise.all([
        get<z.output<typeof annotations>>('api/analytics/annotations', query, signal),
        import('./mark-words.ts'),
      ]);
      return answer.data.map(markOf);
    },
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
}

/** The marks of a time. New ones arrive by themselves. */
export function useMarks(time: Readonly<Record<string, string>>): readonly Mark[] {
  useLiveQuery('breakers', KEY);
  return useQuery(marksQuery(time)).data ?? NONE;
}
