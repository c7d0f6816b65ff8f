import type { MonitorStatusSummary } from '@floe/contract/api/monitor-history';

type Slice = MonitorStatusSummary['recent'][number]['intervals'][number];

/** The distance between the starts of two slices, in SVG units. */
export const STATUS_STRIP_SLICE_STEP = 3;
/** The height of the strip, in SVG units. */
export const STATUS_STRIP_HEIGHT = 18;
const WIDTH = STATUS_STRIP_SLICE_STEP - 0.75;
const LEAST = 4;

/**
 * The SVG paths of a strip, one per status. One element per slice would be too many, because a list has
 * thousands of slices.
 */
export interface StatusStripPaths {
  readonly healthy: string;
  readonly failing: string;
  readonly unknown: string;
  readonly paused: string;
  /** Slices without data. */
  readonly none: string;
}

/**
 * Builds the SVG paths of a strip. Each slice is a stack: failing time at the bottom in proportion to its
 * duration, then unknown or paused time, then healthy time. Pure.
 */
export function buildStatusStripPaths(slices: readonly Slice[]): StatusStripPaths {
  const drawn = { healthy: '', failing: '', unknown: '', paused: '', none: '' };
  slices.forEach(({ healthy_seconds, failing_seconds, unknown_seconds, paused_seconds }, index) => {
    const box = (top: number, height: number) =>
      height <= 0
        ? ''
        : `M${index * STATUS_STRIP_SLICE_STEP} ${round(top)}h${WIDTH}v${round(height)}h-${WIDTH}z`;
    const whole = healthy_seconds + failing_seconds + unknown_seconds + paused_seconds;
    if (whole < 1) {
      drawn.none += box(STATUS_STRIP_HEIGHT - 2, 2);
      return;
    }
    const high = (seconds: number) =>
      seconds < 1 ? 0 : Math.max(LEAST, (seconds / whole) * STATUS_STRIP_HEIGHT);
    const failing = high(failing_seconds);
    const unknown = Math.min(STATUS_STRIP_HEIGHT - failing, high(unknown_seconds));
    const paused = Math.min(STATUS_STRIP_HEIGHT - failing - unknown, high(paused_seconds) * 0.44);
    drawn.failing += box(STATUS_STRIP_HEIGHT - failing, failing);
    drawn.unknown += box(STATUS_STRIP_HEIGHT - failing - unknown, unknown);
    drawn.paused += box(STATUS_STRIP_HEIGHT - failing - unknown - paused, paused);
    if (healthy_seconds >= 1) drawn.healthy += box(0, STATUS_STRIP_HEIGHT - failing - unknown - paused);
  });
  return drawn;
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
