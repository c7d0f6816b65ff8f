import type { gapList } from '@floe/contract/api/monitor-history';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type * as z from 'zod';
import { type GapSpan, toGapSpans } from '../format/gap-spans.ts';
import { getJson } from './api-client.ts';

type Gaps = z.output<typeof gapList>;

const LOOKED_BACK_MS = 400 * 86_400_000;

/** The query for the times at which Floe was not running. All charts share its response. */
export const gapsQuery = queryOptions({
  queryKey: ['away'],
  queryFn: ({ signal }) => {
    const from = new Date(Date.now() - LOOKED_BACK_MS).toISOString();
    return getJson<Gaps>('api/monitoring/gaps', { from }, signal);
  },
  staleTime: 60_000,
  retry: false,
});

/**
 * Returns the gaps to hatch in a chart. `at` contains the start of each interval of the chart, in
 * milliseconds since the epoch.
 */
export function useGaps(at: readonly number[]): readonly GapSpan[] {
  const { data } = useQuery(gapsQuery);
  return useMemo(() => toGapSpans(data?.data ?? [], at), [data, at]);
}
