import type { analyticsAnnotations } from '@floe/contract/api/annotations';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson } from './api-client.ts';
import type { ChartAnnotation } from './chart-annotation.ts';

/** The first elements of the query key of annotations. */
export const ANNOTATIONS_KEY = ['analytics', 'marks'];

/**
 * Returns the query for the events that may have affected requests in a time range: configuration changes,
 * breaker changes and notes.
 */
export function buildAnnotationsQuery(time: Readonly<Record<string, string>>) {
  return queryOptions({
    queryKey: [...ANNOTATIONS_KEY, time],
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
