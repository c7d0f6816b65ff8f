import type { ExchangeOutcome } from '@floe/contract/exchange-outcome';
import type { TimelineLane, TimelineSegment } from '../../ui/timeline.tsx';

interface Counts {
  readonly at: readonly string[];
  readonly series: readonly {
    readonly value: string | null;
    readonly values: readonly (number | null)[];
  }[];
}

/** The chart segment of each outcome. */
const PART_OF: Readonly<Record<ExchangeOutcome, TimelineSegment>> = {
  succeeded: 'succeeded',
  cached: 'cached',
  aborted: 'aborted',
  blocked: 'blocked',
  partial: 'partial',
  client_error: 'failed',
  upstream_error: 'failed',
};

/** Converts a response grouped by outcome to the number of requests per interval and segment. Pure. */
export function toOutcomeLanes(counts: Counts | undefined): readonly TimelineLane[] {
  const parts = new Map<string, TimelineSegment>(Object.entries(PART_OF));
  return (counts?.at ?? []).map((at, index) => {
    const lane: Record<TimelineSegment, number> = {
      succeeded: 0,
      cached: 0,
      aborted: 0,
      failed: 0,
      partial: 0,
      blocked: 0,
    };
    for (const { value, values } of counts?.series ?? [])
      lane[parts.get(value ?? '') ?? 'failed'] += values[index] ?? 0;
    return { at: Date.parse(at), counts: lane };
  });
}
