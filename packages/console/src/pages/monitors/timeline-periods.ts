import type { CheckResource } from '@floe/contract/api/monitor-history';
import type { MonitorPeriod } from './monitor-data.ts';

/** A period on the timeline, with its position as fractions of the timeline’s width. */
export interface TimelinePeriod {
  readonly period: MonitorPeriod;
  readonly left: number;
  readonly width: number;
  /** The whole duration of the period, including the time before the range. */
  readonly ms: number;
  /** Whether a label is shown above the period. False if it would overlap the label of its neighbor. */
  readonly label: boolean;
}

/** Minimum distance between two labels, as a fraction of the width. */
const LABEL_SHARE = 0.12;

/**
 * Returns the periods within a time range, oldest first, with their positions on the timeline. Only failing
 * periods can have a label. Pure.
 */
export function buildTimelinePeriods(
  periods: readonly MonitorPeriod[],
  from: Date,
  to: Date,
): readonly TimelinePeriod[] {
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
      const ms = end - new Date(period.started_at).getTime();
      return { period, left, width: (end - start) / whole, ms, label };
    });
}

/**
 * Returns the time from which a list of periods is complete, if the list does not contain all periods of the range.
 * Otherwise, returns null.
 */
export function findStartOfShownPeriods({
  data,
  next_cursor,
}: {
  readonly data: readonly MonitorPeriod[];
  readonly next_cursor: string | null;
}): Date | null {
  const oldest = data.at(-1);
  return next_cursor === null || oldest === undefined ? null : new Date(oldest.started_at);
}

/**
 * Returns the positions of the beats, misses and failures to mark below the timeline. If there are more than
 * 120, returns only the misses and failures.
 */
export function buildTimelineBeatMarks(
  checks: readonly CheckResource[],
  from: Date,
  to: Date,
): readonly { readonly id: string; readonly at: number; readonly missed: boolean }[] {
  const whole = to.getTime() - from.getTime();
  const all = checks.flatMap(({ id, status, received_at, expected_at, detected_at }) => {
    if (status === 'unknown') return [];
    // A missed beat was not received. A failure was, often long before the next beat was expected.
    const moment = new Date(received_at ?? expected_at ?? detected_at).getTime();
    const at = (moment - from.getTime()) / whole;
    const missed = status === 'missed' || status === 'failed';
    return at >= 0 && at <= 1 ? [{ id, at, missed }] : [];
  });
  return all.length > 120 ? all.filter(({ missed }) => missed) : all;
}
