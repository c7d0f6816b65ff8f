import type { analyticsAnnotations } from '@floe/contract/api/annotations';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from './api-client.ts';
import type { ChartAnnotation } from './chart-annotation.ts';
import { useRefetchOnEvent } from './use-server-events.ts';

const KEY = ['analytics', 'marks'];
const NONE: readonly ChartAnnotation[] = [];

/**
 * Returns the query for the events that may have affected requests in a time range: configuration changes,
 * breaker changes and notes.
 */
export function buildAnnotationsQuery(time: Readonly<Record<string, string>>) {
  return queryOptions({
    queryKey: [...KEY, time],
    // The texts load with the first response, because pages render earlier.
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

/** Returns the annotations of a time range. Refetches them when the server reports a change. */
export function useAnnotations(time: Readonly<Record<string, string>>): readonly ChartAnnotation[] {
  useRefetchOnEvent('breakers', KEY);
  return useQuery(buildAnnotationsQuery(time)).data ?? NONE;
}
