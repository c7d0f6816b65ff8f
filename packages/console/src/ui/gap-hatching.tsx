import { useMemo } from 'react';
import { useGaps } from '../data/gaps.ts';
import { formatDuration } from '../format/amounts.ts';
import type { TimelineLane } from './timeline.tsx';

/** Hatches times at which Floe was not running. Loaded after the lanes are rendered. */
export function GapHatching({ lanes }: { readonly lanes: readonly TimelineLane[] }) {
  const at = useMemo(() => lanes.map((lane) => lane.at), [lanes]);
  return useGaps(at).map(({ left, width, ms }) => (
    <span
      key={left}
      role="img"
      aria-label={`Unknown for ${formatDuration(ms)}: Floe was not running`}
      style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
      className="hatched pointer-events-none absolute inset-y-0 min-w-0.5"
    />
  ));
}
