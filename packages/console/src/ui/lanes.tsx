import { lazy, Suspense } from 'react';
import type { Mark } from '../data/mark-words.ts';
import { browserZone, fullTime, shortTime } from '../format/moments.ts';
import { roundUp } from './chart-stack.ts';
import { cx } from './class-names.ts';

const AwayMarks = lazy(() => import('./away-marks.tsx').then(({ AwayMarks: Marks }) => ({ default: Marks })));

export interface Lane {
  /** Start of the interval, milliseconds. */
  readonly at: number;
  /** Above the line. */
  readonly good: number;
  /** Below the line, on a scale of its own: few errors among many requests stay visible. */
  readonly bad: number;
}

const UP = 56;
const DOWN = 24;
const WIDTH = 1000;

/** Volume above the line, what was not OK below it. A click chooses that interval. */
export function Lanes({
  lanes,
  label,
  onChoose,
  marks = [],
}: {
  readonly lanes: readonly Lane[];
  readonly label: string;
  readonly onChoose: (at: number) => void;
  /** What happened meanwhile. The page lists it too (`MarkList`). */
  readonly marks?: readonly Mark[];
}) {
  const most = roundUp(Math.max(...lanes.map(({ good }) => good), 0));
  const worst = roundUp(Math.max(...lanes.map(({ bad }) => bad), 0));
  const anyBad = lanes.some(({ bad }) => bad > 0);
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
          <LaneBars lanes={lanes} most={most} worst={worst} onChoose={onChoose} />
          <LaneMarks lanes={lanes} marks={marks} />
        </svg>
        <Suspense>
          <AwayMarks lanes={lanes} />
        </Suspense>
      </div>
      <div className="col-start-2 mt-1 flex justify-between">
        {labels(lanes).map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: places on an axis.
          <span key={index} className={cx(index % 2 === 1 && 'max-md:hidden')}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The top of the scale, and the line between what was OK and what was not. */
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

function LaneBars({
  lanes,
  most,
  worst,
  onChoose,
}: {
  readonly lanes: readonly Lane[];
  readonly most: number;
  readonly worst: number;
  readonly onChoose: (at: number) => void;
}) {
  const step = WIDTH / Math.max(lanes.length, 1);
  return lanes.map(({ at, good, bad }, index) => {
    const up = good === 0 ? 0 : Math.max(1.5, (good / most) * UP);
    const down = bad === 0 ? 0 : Math.max(2, (bad / worst) * DOWN);
    const x = index * step;
    const width = Math.max(step - Math.min(1.5, step * 0.2), 0.5);
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the pointer; the time range does the same by keyboard.
      <g key={at} onClick={() => onChoose(at)} className="cursor-pointer hover:opacity-70">
        <title>{`${fullTime(new Date(at), browserZone())}: ${good} OK, ${bad} not OK`}</title>
        <rect x={x} y={0} width={step} height={UP + DOWN} fill="transparent" />
        <rect x={x} y={UP - up} width={width} height={up} className="fill-volume" />
        <rect x={x} y={UP + 1} width={width} height={down} className="fill-failing" />
      </g>
    );
  });
}

/** A line through both lanes where something happened. */
function LaneMarks({ lanes, marks }: { readonly lanes: readonly Lane[]; readonly marks: readonly Mark[] }) {
  const first = lanes[0]?.at ?? 0;
  const last = lanes.at(-1)?.at ?? 0;
  const step = (lanes[1]?.at ?? 0) - first || 60_000;
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
          <title>{`${fullTime(new Date(mark.at), browserZone())}: ${mark.text}`}</title>
        </line>
      );
    });
}

function labels(lanes: readonly Lane[]): string[] {
  const zone = browserZone();
  const [first, last] = [lanes[0]?.at, lanes.at(-1)?.at];
  if (first === undefined || last === undefined) return [];
  const long = last - first > 86_400_000;
  return [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = new Date(first + (last - first) * share);
    return long ? fullTime(at, zone).slice(0, 6).replace(/,$/, '') : shortTime(at, zone);
  });
}
