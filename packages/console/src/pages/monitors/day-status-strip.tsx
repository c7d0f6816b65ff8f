import type { MonitorStatusSummary } from '@floe/contract/api/monitor-history';
import { memo, useId } from 'react';
import { formatDuration } from '../../format/amounts.ts';
import { buildStatusStripPaths, STATUS_STRIP_HEIGHT, STATUS_STRIP_SLICE_STEP } from './status-strip-paths.ts';
import { monitorsText } from './text.ts';

type Slice = MonitorStatusSummary['recent'][number]['intervals'][number];

/**
 * Shows the status in the last day in slices of half an hour. In each slice, failing time is drawn from the
 * bottom in proportion to its duration, and unknown time is hatched.
 */
export const DayStatusStrip = memo(({ slices }: { readonly slices: readonly Slice[] | undefined }) => {
  const hatch = useId();
  if (!slices) return <span className="text-ink-3">…</span>;
  const { healthy, failing, unknown, paused, none } = buildStatusStripPaths(slices);
  return (
    <svg
      width={slices.length * STATUS_STRIP_SLICE_STEP}
      height={STATUS_STRIP_HEIGHT}
      role="img"
      aria-label={describeDayStrip(slices)}
    >
      {none && <path d={none} className="fill-line-strong" />}
      {healthy && <path d={healthy} className="fill-healthy" />}
      {unknown && (
        <>
          <pattern
            id={hatch}
            width="4"
            height="4"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(-45)"
          >
            <rect width="1.5" height="4" className="fill-unknown" />
          </pattern>
          <path d={unknown} fill={`url(#${hatch})`} />
        </>
      )}
      {paused && <path d={paused} className="fill-paused" />}
      {failing && <path d={failing} className="fill-failing" />}
    </svg>
  );
});

function describeDayStrip(slices: readonly Slice[]): string {
  const sum = (name: 'healthy_seconds' | 'failing_seconds' | 'unknown_seconds') =>
    slices.reduce((all, slice) => all + slice[name], 0);
  const parts = [
    ['failing', sum('failing_seconds')],
    ['unknown', sum('unknown_seconds')],
    ['healthy', sum('healthy_seconds')],
  ] as const;
  const shown = parts.filter(([, seconds]) => seconds >= 1);
  if (shown.length === 0) return monitorsText.day.none;
  return monitorsText.day.sums(
    shown.map(([status, seconds]) => monitorsText.day.sum(status, formatDuration(seconds * 1000))),
  );
}
