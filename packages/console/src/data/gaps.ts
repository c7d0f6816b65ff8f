import type { gapList } from '@floe/contract/api/monitor-history';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type * as z from 'zod';
import { type GapSpan, toGapSpans } from '../format/gap-spans.ts';
import { getJson } from './api-client.ts';
import { getCurrentTime } from './server-clock.ts';

type Gaps = z.output<typeof gapList>;

const LOOKED_BACK_MS = 400 * 86_400_000;

/**
 * The query for the gaps of the last 400 days, in which no Floe process could accept beats. All charts share
 * its response.
 */
export const gapsQuery = queryOptions({
  queryKey: ['away'],
  queryFn: ({ signal }) => {
    const from = new Date(getCurrentTime().getTime() - LOOKED_BACK_MS).toISOString();
    return getJson<Gaps>('api/monitoring/gaps', { from }, signal);
  },
  staleTime: 60_000,
  retry: false,
});

/**
 * Returns the gaps to hatch in a chart.
 * @param at The start of each interval of the chart, in milliseconds since the epoch.
 */
export function useGaps(at: readonly number[]): readonly GapSpan[] {
  const { data } = useQuery(gapsQuery);
  return useMemo(() => toGapSpans(data?.data ?? [], at), [data, at]);
}
