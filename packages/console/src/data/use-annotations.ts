import { useQuery } from '@tanstack/react-query';
import { ANNOTATIONS_QUERY_KEY, buildAnnotationsQuery } from './annotations.ts';
import type { ChartAnnotation } from './chart-annotation.ts';
import { useRefetchOnEvent } from './use-refetch-on-event.ts';

const NONE: readonly ChartAnnotation[] = [];

/** Returns the annotations of a time range. Refetches them when the server reports a change to a breaker. */
export function useAnnotations(time: Readonly<Record<string, string>>): readonly ChartAnnotation[] {
  useRefetchOnEvent('breakers', ANNOTATIONS_QUERY_KEY);
  return useQuery(buildAnnotationsQuery(time)).data ?? NONE;
}
