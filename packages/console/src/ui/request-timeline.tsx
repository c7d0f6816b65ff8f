import { lazy, Suspense } from 'react';
import type { ChartAnnotation } from '../data/chart-annotation.ts';
import { formatCount } from '../format/amounts.ts';
import { formatFullDateTime, formatShortTime, getBrowserTimeZone } from '../format/times.ts';
import { roundUpToTick } from './chart-stack.ts';
import { joinClassNames } from './class-names.ts';

const AwayMarks = lazy(() =>
  import('./gap-hatching.tsx').then(({ GapHatching: Marks }) => ({ default: Marks })),
);

/** Segments stacked above the line, starting at the line. */
const ABOVE = ['succeeded', 'cached', 'aborted'] as const;
/**
 * Segments stacked below the line. They have their own scale so that a few errors among many requests stay
 * visible.
 */
const BELOW = ['failed', 'partial', 'blocked'] as const;
/** A group of outcomes that the timeline shows in one color. */
export type TimelineOutcomeGroup = (typeof ABOVE | typeof BELOW)[number];

/** The number of requests in one interval, by group of outcomes. */
export interface TimelineInterval {
  /** Start of the interval, in milliseconds since the epoch. */
  readonly at: number;
  readonly counts: Readonly<Record<TimelineOutcomeGroup, number>>;
}

const PARTS: Readonly<
  Record<TimelineOutcomeGroup, { readonly label: string; readonly fill: string; readonly dot: string }>
> = {
  succeeded: { label: 'Succeeded', fill: 'fill-volume', dot: 'bg-volume' },
  cached: { label: 'Cached', fill: 'fill-cached', dot: 'bg-cached' },
  aborted: { label: 'Client disconnected', fill: 'fill-ink-3', dot: 'bg-ink-3' },
  failed: { label: 'Failed', fill: 'fill-failing', dot: 'bg-failing' },
  partial: { label: 'Partial', fill: 'fill-partial', dot: 'bg-partial' },
  blocked: { label: 'Blocked', fill: 'fill-blocked', dot: 'bg-blocked' },
};

/** Returns the number of requests of an interval in the given groups of outcomes. */
export function sumIntervalCounts(
  { counts }: TimelineInterval,
  parts: readonly TimelineOutcomeGroup[],
): number {
  return parts.reduce((sum, part) => sum + counts[part], 0);
}

const UP = 56;
const DOWN = 24;
const WIDTH = 1000;

/**
 * Shows the number of requests over time. Succeeded, cached and aborted requests are above a line, and failed,
 * partial and blocked requests are below it. A click on an interval selects it.
 */
export function RequestTimeline({
  intervals,
  label,
  onChoose,
  marks = [],
}: {
  readonly intervals: readonly TimelineInterval[];
  readonly label: string;
  readonly onChoose: (at: number) => void;
  /** Events to mark on the timeline. The page also lists them with `AnnotationList`. */
  readonly marks?: readonly ChartAnnotation[];
}) {
  const most = roundUpToTick(Math.max(...intervals.map((interval) => sumIntervalCounts(interval, ABOVE)), 0));
  const worst = roundUpToTick(
    Math.max(...intervals.map((interval) => sumIntervalCounts(interval, BELOW)), 0),
  );
  const anyBad = intervals.some((interval) => sumIntervalCounts(interval, BELOW) > 0);
  return (
    <div className="grid grid-cols-[2.5rem_1fr] gap-x-2 text-micro text-ink-3 figures">
      <div className="relative text-right" style={{ height: UP + DOWN }}>
        <span className="absolute -top-2 right-0">{most}</span>
        <span className="absolute right-0" style={{ top: UP - 8 }}>
          0
        </span>
        {anyBad && <span className="absolute right-0 -bottom-2 text-failing-ink">{worst}</span>}
      </div>
      <div className="relative">
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${WIDTH} ${UP + DOWN}`}
          preserveAspectRatio="none"
          className="w-full"
          style={{ height: UP + DOWN }}
        >
          <Rulers />
          <IntervalBars intervals={intervals} most={most} worst={worst} onChoose={onChoose} />
          <IntervalMarks intervals={intervals} marks={marks} />
        </svg>
        <Suspense>
          <AwayMarks intervals={intervals} />
        </Suspense>
      </div>
      <div className="col-start-2 mt-1 flex justify-between">
        {labels(intervals).map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: labels are identified by their position on the axis.
          <span key={index} className={joinClassNames(index % 2 === 1 && 'max-md:hidden')}>
            {text}
          </span>
        ))}
      </div>
      <Legend intervals={intervals} />
    </div>
  );
}

/** Lists the segments in the chart with their numbers. */
function Legend({ intervals }: { readonly intervals: readonly TimelineInterval[] }) {
  const shown = [...ABOVE, ...BELOW].flatMap((part) => {
    const sum = intervals.reduce((all, interval) => all + interval.counts[part], 0);
    return sum > 0 ? [{ part, sum }] : [];
  });
  return (
    <ul className="col-start-2 mt-1 flex min-h-4 flex-wrap gap-x-4 text-ink-2">
      {shown.map(({ part, sum }) => (
        <li key={part} className="flex items-center gap-1.5">
          <span aria-hidden className={joinClassNames('size-2 rounded-xs', PARTS[part].dot)} />
          {PARTS[part].label} {formatCount(sum)}
        </li>
      ))}
    </ul>
  );
}

/** Draws the top of the scale and the line between successful and other requests. */
function Rulers() {
  return (
    <>
      <line x1={0} x2={WIDTH} y1={0.5} y2={0.5} className="stroke-grid" vectorEffect="non-scaling-stroke" />
      <line
        x1={0}
        x2={WIDTH}
        y1={UP}
        y2={UP}
        className="stroke-line-strong"
        vectorEffect="non-scaling-stroke"
      />
    </>
  );
}

function IntervalBars({
  intervals,
  most,
  worst,
  onChoose,
}: {
  readonly intervals: readonly TimelineInterval[];
  readonly most: number;
  readonly worst: number;
  readonly onChoose: (at: number) => void;
}) {
  const step = WIDTH / Math.max(intervals.length, 1);
  return intervals.map((interval, index) => {
    const x = index * step;
    const width = Math.max(step - Math.min(1.5, step * 0.2), 0.5);
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for pointers; keyboard users can select a time range.
      <g key={interval.at} onClick={() => onChoose(interval.at)} className="cursor-pointer hover:opacity-70">
        <title>{`${formatFullDateTime(new Date(interval.at), getBrowserTimeZone())}: ${partsText(interval)}`}</title>
        <rect x={x} y={0} width={step} height={UP + DOWN} fill="transparent" />
        {stack(interval, ABOVE, { height: UP, most, least: 1.5 }).map(({ part, from, size }) => (
          <rect
            key={part}
            x={x}
            y={UP - from - size}
            width={width}
            height={size}
            className={PARTS[part].fill}
          />
        ))}
        {stack(interval, BELOW, { height: DOWN, most: worst, least: 2 }).map(({ part, from, size }) => (
          <rect key={part} x={x} y={UP + 1 + from} width={width} height={size} className={PARTS[part].fill} />
        ))}
      </g>
    );
  });
}

/** Describes the segments, as in `12 succeeded, 1 failed`. */
function partsText({ counts }: TimelineInterval): string {
  const said = [...ABOVE, ...BELOW].filter((part) => counts[part] > 0);
  if (said.length === 0) return 'no requests';
  return said.map((part) => `${formatCount(counts[part])} ${PARTS[part].label.toLowerCase()}`).join(', ');
}

/**
 * Returns the start of each segment, measured from the line, and its length. Segments that are not empty have
 * a minimum length.
 */
function stack(
  { counts }: TimelineInterval,
  parts: readonly TimelineOutcomeGroup[],
  { height, most, least }: { readonly height: number; readonly most: number; readonly least: number },
) {
  let from = 0;
  return parts.flatMap((part) => {
    if (counts[part] === 0) return [];
    const size = Math.max(least, (counts[part] / most) * height);
    const begun = from;
    from += size;
    return [{ part, from: begun, size }];
  });
}

/** Draws a line through the whole timeline at each event. */
function IntervalMarks({
  intervals,
  marks,
}: {
  readonly intervals: readonly TimelineInterval[];
  readonly marks: readonly ChartAnnotation[];
}) {
  const first = intervals[0]?.at ?? 0;
  const last = intervals.at(-1)?.at ?? 0;
  const step = (intervals[1]?.at ?? 0) - first || 60_000;
  const end = last + step;
  return marks
    .filter(({ at }) => at >= first && at < end)
    .map((mark) => {
      const x = ((mark.at - first) / (end - first)) * WIDTH;
      return (
        <line
          key={`${mark.at} ${mark.text}`}
          data-mark=""
          x1={x}
          x2={x}
          y1={0}
          y2={UP + DOWN}
          strokeDasharray="3 3"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
          className={mark.state === 'failing' ? 'stroke-failing' : 'stroke-ink-3'}
        >
          <title>{`${formatFullDateTime(new Date(mark.at), getBrowserTimeZone())}: ${mark.text}`}</title>
        </line>
      );
    });
}

function labels(intervals: readonly TimelineInterval[]): string[] {
  const zone = getBrowserTimeZone();
  const [first, last] = [intervals[0]?.at, intervals.at(-1)?.at];
  if (first === undefined || last === undefined) return [];
  const long = last - first > 86_400_000;
  return [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = new Date(first + (last - first) * share);
    return long ? formatFullDateTime(at, zone).slice(0, 6).replace(/,$/, '') : formatShortTime(at, zone);
  });
}
