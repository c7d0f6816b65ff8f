import type { MonitoringGap } from '../store/monitoring/monitoring-liveness-values.ts';
import type { MonitorStatus } from './monitor-state.ts';

/**
 * A time span with one status in a monitor's history. `unknown` means a gap. Times are in Unix
 * milliseconds.
 */
export interface MonitorStatusSpan {
  readonly status: MonitorStatus | 'unknown';
  readonly startedAt: number;
  /** Null for the current span. */
  readonly endedAt: number | null;
  readonly reason: string;
}

/** The uptime of a monitor in a time range. */
export interface UptimeSummary {
  /** Healthy time divided by the sum of healthy and failing time. Null if both are 0. */
  readonly uptimeRatio: number | null;
  readonly healthyMs: number;
  readonly downtimeMs: number;
  readonly unknownMs: number;
  /** Number of failing periods that overlap the range. */
  readonly incidents: number;
}

/**
 * Replaces the parts of periods that are in a gap with spans of status `unknown`. Does not change
 * pauses.
 */
export function replaceGapsWithUnknown(
  periods: readonly MonitorStatusSpan[],
  gaps: readonly MonitoringGap[],
  nowMs: number,
): MonitorStatusSpan[] {
  const spans: MonitorStatusSpan[] = [];
  let next = 0;
  for (const period of periods) {
    const end = period.endedAt ?? nowMs;
    if (period.status === 'paused') {
      spans.push(period);
      continue;
    }
    while (next < gaps.length && (gaps[next]?.endAt ?? 0) <= period.startedAt) next += 1;
    let at = period.startedAt;
    let { reason } = period;
    for (let i = next; i < gaps.length; i++) {
      const gap = gaps[i];
      if (!gap || gap.startAt >= end) break;
      const startAt = Math.max(gap.startAt, at);
      const endAt = Math.min(gap.endAt, end);
      if (endAt <= startAt) continue;
      if (startAt > at) spans.push({ ...period, startedAt: at, endedAt: startAt, reason });
      spans.push({ status: 'unknown', startedAt: startAt, endedAt: endAt, reason: 'not_running' });
      at = endAt;
      reason = 'gap_ended';
    }
    if (at < end || period.endedAt === null) spans.push({ ...period, startedAt: at, reason });
  }
  return mergeAdjacentSpans(spans);
}

/** Merges adjacent spans with the same status, such as a gap across two periods. */
function mergeAdjacentSpans(spans: readonly MonitorStatusSpan[]): MonitorStatusSpan[] {
  const whole: MonitorStatusSpan[] = [];
  for (const span of spans) {
    const last = whole.at(-1);
    if (last && last.status === 'unknown' && span.status === 'unknown' && last.endedAt === span.startedAt)
      whole[whole.length - 1] = { ...last, endedAt: span.endedAt };
    else whole.push(span);
  }
  return whole;
}

/**
 * Computes the uptime, downtime, unknown time and number of incidents of a monitor in a time range. The
 * uptime is the healthy time divided by the sum of the healthy and the failing time. It ignores time in which
 * the monitor was paused, waiting or unknown.
 * @param periods the recorded status periods, before gaps are inserted into them
 */
export function summarizeUptime(
  periods: readonly MonitorStatusSpan[],
  gaps: readonly MonitoringGap[],
  range: { readonly fromMs: number; readonly toMs: number; readonly nowMs: number },
): UptimeSummary {
  const toMs = Math.min(range.toMs, range.nowMs);
  const length = ({ startedAt, endedAt }: MonitorStatusSpan) =>
    Math.max(0, Math.min(endedAt ?? range.nowMs, toMs) - Math.max(startedAt, range.fromMs));
  const sums = { waiting: 0, healthy: 0, failing: 0, paused: 0, unknown: 0 };
  for (const span of replaceGapsWithUnknown(periods, gaps, range.nowMs)) sums[span.status] += length(span);
  const judged = sums.healthy + sums.failing;
  return {
    uptimeRatio: judged === 0 ? null : sums.healthy / judged,
    healthyMs: sums.healthy,
    downtimeMs: sums.failing,
    unknownMs: sums.unknown,
    incidents: periods.filter((period) => period.status === 'failing' && length(period) > 0).length,
  };
}
