import type { MonitorStanding } from '@floe/contract/api/monitors';
import { useId } from 'react';
import { duration } from '../../format/amounts.ts';

type Slice = MonitorStanding['recent'][number]['slices'][number];

const STEP = 3;
const HEIGHT = 18;

/** The last day in half hours: what failed stands at the foot with its share, what nobody saw is hatched. */
export function DayStrip({ slices }: { readonly slices: readonly Slice[] | undefined }) {
  const hatch = useId();
  if (!slices) return <span className="text-ink-3">…</span>;
  return (
    <svg width={slices.length * STEP} height={HEIGHT} role="img" aria-label={sentence(slices)}>
      <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect width="1.5" height="4" className="fill-unknown" />
      </pattern>
      {slices.map((slice, index) => (
        <SliceBar key={slice.started_at} slice={slice} x={index * STEP} hatch={hatch} />
      ))}
    </svg>
  );
}

function SliceBar({
  slice,
  x,
  hatch,
}: {
  readonly slice: Slice;
  readonly x: number;
  readonly hatch: string;
}) {
  const { healthy_seconds, failing_seconds, unknown_seconds, paused_seconds } = slice;
  const whole = healthy_seconds + failing_seconds + unknown_seconds + paused_seconds;
  const width = STEP - 0.75;
  if (whole < 1) return <rect x={x} y={HEIGHT - 2} width={width} height={2} className="fill-line-strong" />;
  const high = (seconds: number) => (seconds < 1 ? 0 : Math.max(4, (seconds / whole) * HEIGHT));
  const failing = high(failing_seconds);
  const unknown = Math.min(HEIGHT - failing, high(unknown_seconds));
  const paused = Math.min(HEIGHT - failing - unknown, high(paused_seconds) * 0.44);
  const rest = healthy_seconds < 1 ? 0 : HEIGHT - failing - unknown - paused;
  return (
    <>
      <rect x={x} y={0} width={width} height={rest} className="fill-healthy" />
      <rect x={x} y={HEIGHT - failing - unknown} width={width} height={unknown} fill={`url(#${hatch})`} />
      <rect x={x} y={HEIGHT - paused} width={width} height={paused} className="fill-paused" />
      <rect x={x} y={HEIGHT - failing} width={width} height={failing} className="fill-failing" />
    </>
  );
}

function sentence(slices: readonly Slice[]): string {
  const sum = (name: 'healthy_seconds' | 'failing_seconds' | 'unknown_seconds') =>
    slices.reduce((all, slice) => all + slice[name], 0);
  const parts = [
    ['failing', sum('failing_seconds')],
    ['unknown', sum('unknown_seconds')],
    ['healthy', sum('healthy_seconds')],
  ] as const;
  const told = parts.filter(([, seconds]) => seconds >= 1);
  if (told.length === 0) return 'Last 24 hours: no data';
  return `Last 24 hours: ${told.map(([word, seconds]) => `${word} ${duration(seconds * 1000)}`).join(', ')}`;
}
