import { useMemo } from 'react';
import { useGaps } from '../data/gaps.ts';
import { formatDuration } from '../format/amounts.ts';
import type { TimelineInterval } from './request-timeline.tsx';

/**
 * Hatches the time spans of a timeline in which Floe could not accept beats. The gaps are loaded after the timeline is
 * rendered.
 */
export function GapHatching({ intervals }: { readonly intervals: readonly TimelineInterval[] }) {
  const at = useMemo(() => intervals.map((interval) => interval.at), [intervals]);
  return useGaps(at).map(({ left, width, ms }) => (
    <span
      key={left}
      role="img"
      aria-label={`Unknown for ${formatDuration(ms)}: Floe could not accept beats`}
      style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
      className="hatched pointer-events-none absolute inset-y-0 min-w-0.5"
    />
  ));
}
