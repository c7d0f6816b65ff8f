import type { CheckResource } from '@floe/contract/api/monitor-history';
import type { MonitorPeriod } from './monitor-data.ts';

/** A stretch of the timeline, as shares of its width. Pure. */
export interface TimelineMark {
  readonly period: MonitorPeriod;
  readonly left: number;
  readonly width: number;
  readonly ms: number;
  /** Written above it; null where it would run into its neighbour. */
  readonly label: boolean;
}

/** How far apart two labels must be, as a share of the width. */
const LABEL_SHARE = 0.12;

/** Periods, oldest first, cut to the range; a failure is never thinner than the eye. */
export function buildTimelineMarks(
  periods: readonly MonitorPeriod[],
  from: Date,
  to: Date,
): readonly TimelineMark[] {
  const whole = to.getTime() - from.getTime();
  let labelled = -1;
  return periods
    .map((period) => ({
      period,
      start: Math.max(new Date(period.started_at).getTime(), from.getTime()),
      end: Math.min(
        period.ended_at === null ? to.getTime() : new Date(period.ended_at).getTime(),
        to.getTime(),
      ),
    }))
    .filter(({ start, end }) => end > start)
    .sort((one, other) => one.start - other.start)
    .map(({ period, start, end }) => {
      const left = (start - from.getTime()) / whole;
      const label = period.status === 'failing' && left - labelled >= LABEL_SHARE;
      if (label) labelled = left;
      return { period, left, width: (end - start) / whole, ms: end - start, label };
    });
}

/** Where beats and misses stand below the timeline; nothing when there are too many to tell apart. */
export function buildTimelineTicks(
  checks: readonly CheckResource[],
  from: Date,
  to: Date,
): readonly { readonly id: string; readonly at: number; readonly missed: boolean }[] {
  const whole = to.getTime() - from.getTime();
  const all = checks.flatMap(({ id, status, received_at, expected_at, detected_at }) => {
    if (status === 'unknown') return [];
    const missed = status === 'missed' || status === 'failed';
    const moment = new Date((missed ? expected_at : received_at) ?? detected_at).getTime();
    const at = (moment - from.getTime()) / whole;
    return at >= 0 && at <= 1 ? [{ id, at, missed }] : [];
  });
  return all.length > 120 ? all.filter(({ missed }) => missed) : all;
}
