import type { ExchangeOutcome } from '@floe/contract/exchange-outcome';
import type { TimelineInterval, TimelineOutcomeGroup } from '../../ui/request-timeline.tsx';

interface Counts {
  readonly at: readonly string[];
  readonly series: readonly {
    readonly value: string | null;
    readonly values: readonly (number | null)[];
  }[];
}

/** The chart segment of each outcome. */
const PART_OF: Readonly<Record<ExchangeOutcome, TimelineOutcomeGroup>> = {
  succeeded: 'succeeded',
  cached: 'cached',
  aborted: 'aborted',
  blocked: 'blocked',
  partial: 'partial',
  client_error: 'failed',
  upstream_error: 'failed',
  gateway_error: 'failed',
};

/**
 * Converts a time series by outcome to the number of requests in each interval, by segment of the timeline.
 * Pure.
 */
export function toTimelineIntervals(timeseries: Counts | undefined): readonly TimelineInterval[] {
  const parts = new Map<string, TimelineOutcomeGroup>(Object.entries(PART_OF));
  return (timeseries?.at ?? []).map((at, index) => {
    const counts: Record<TimelineOutcomeGroup, number> = {
      succeeded: 0,
      cached: 0,
      aborted: 0,
      failed: 0,
      partial: 0,
      blocked: 0,
    };
    for (const { value, values } of timeseries?.series ?? [])
      counts[parts.get(value ?? '') ?? 'failed'] += values[index] ?? 0;
    return { at: Date.parse(at), counts };
  });
}
