import type { annotations } from '@floe/contract/api/charts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type * as z from 'zod';
import { get } from './api-client.ts';
import { useLiveQuery } from './events.ts';
import { type Mark, markOf } from './mark-words.ts';

const KEY = ['analytics', 'marks'];
const NONE: readonly Mark[] = [];

/** What may have changed the requests of a time: configuration, breakers, notes. New ones arrive by themselves. */
export function useMarks(time: Readonly<Record<string, string>>): readonly Mark[] {
  useLiveQuery('breakers', KEY);
  const { data } = useQuery({
    queryKey: [...KEY, time],
    queryFn: ({ signal }) =>
      get<z.output<typeof annotations>>(
        'api/analytics/annotations',
        { from: time['from'], to: time['to'], about: 'traffic' },
        signal,
      ),
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
  return useMemo(() => data?.data.map(markOf) ?? NONE, [data]);
}
