import type { analyticsAnnotations } from '@floe/contract/api/annotations';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from './api-client.ts';
import type { ChartAnnotation } from './chart-annotation.ts';
import { useLiveQuery } from './events.ts';

const KEY = ['analytics', 'marks'];
const NONE: readonly ChartAnnotation[] = [];

/** What may have changed the requests of a time: configuration, breakers, notes. */
export function annotationsListQuery(time: Readonly<Record<string, string>>) {
  return queryOptions({
    queryKey: [...KEY, time],
    // The words come with the first answer: pages are drawn before.
    queryFn: async ({ signal }): Promise<readonly ChartAnnotation[]> => {
      const query = { from: time['from'], to: time['to'], about: 'traffic' };
      const [answer, { toChartAnnotation }] = await Promise.all([
        getJson<z.output<typeof analyticsAnnotations>>('api/analytics/annotations', query, signal),
        import('./chart-annotation.ts'),
      ]);
      return answer.data.map(toChartAnnotation);
    },
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
}

/** The marks of a time. New ones arrive by themselves. */
export function useAnnotations(time: Readonly<Record<string, string>>): readonly ChartAnnotation[] {
  useLiveQuery('breakers', KEY);
  return useQuery(annotationsListQuery(time)).data ?? NONE;
}
