import type { analyticsAnnotations } from '@floe/contract/api/annotations';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { getJson, type QueryParameters } from './api-client.ts';
import type { ChartAnnotation } from './chart-annotation.ts';

/** The first elements of the query key of annotations. */
export const ANNOTATIONS_QUERY_KEY = ['analytics', 'marks'];

/**
 * Fetches annotations and converts them to display text. Imports the module with the texts in parallel with the
 * request, so that pages can render before it is loaded.
 */
export async function fetchChartAnnotations(
  query: QueryParameters,
  signal: AbortSignal,
): Promise<readonly ChartAnnotation[]> {
  const [answer, { toChartAnnotation }] = await Promise.all([
    getJson<z.output<typeof analyticsAnnotations>>('api/analytics/annotations', query, signal),
    import('./chart-annotation.ts'),
  ]);
  return answer.data.map(toChartAnnotation);
}

/**
 * Returns the query for the events that may have affected requests in a time range: configuration changes,
 * breaker changes and notes.
 */
export function buildAnnotationsQuery(time: Readonly<Record<string, string>>) {
  return queryOptions({
    queryKey: [...ANNOTATIONS_QUERY_KEY, time],
    queryFn: ({ signal }) =>
      fetchChartAnnotations({ from: time['from'], to: time['to'], about: 'traffic' }, signal),
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
}
