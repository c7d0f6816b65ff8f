import { useMemo } from 'react';
import { useAway } from '../data/away.ts';
import { duration } from '../format/amounts.ts';
import type { Lane } from './lanes.tsx';

/** Hatched where Floe was not there; loaded once the lanes stand. */
export function AwayMarks({ lanes }: { readonly lanes: readonly Lane[] }) {
  const at = useMemo(() => lanes.map((lane) => lane.at), [lanes]);
  return useAway(at).map(({ left, width, ms }) => (
    <span
      key={left}
      role="img"
      aria-label={`Unknown for ${duration(ms)}: Floe was not running`}
      style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
      className="hatched pointer-events-none absolute inset-y-0 min-w-0.5"
    />
  ));
}
