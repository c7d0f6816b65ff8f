import { getLastMonitorPeriodsByUid } from '../store/monitoring/last-monitor-periods.ts';
import { getMonitorStatesByUid, listMonitorsById } from '../store/monitoring/monitors.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { type StatusDurations, sumStatusDurationsByInterval } from './boards/board-days.ts';
import { replaceGapsWithUnknown, summarizeUptime } from './monitor-status-spans.ts';
import { type MonitorEvaluationContext, toStatusSpans } from './read-monitors.ts';

const SLICE_MS = 30 * 60_000;
const SLICES = 48;
const UPTIME_MS = 30 * 24 * 60 * 60_000;
/** Maximum number of periods in total. The oldest periods of the monitors with the most periods are omitted. */
const MAX_PERIODS = 20_000;

/** One monitor's recent history: the last day in half hours, and the uptime of the last 30 days. */
export interface RecentMonitorHistory {
  readonly id: string;
  readonly uptimeRatio: number | null;
  /** The time from which on the history is known. Null if it is complete. */
  readonly historySince: number | null;
  readonly slices: readonly (StatusDurations & { readonly startedAt: number })[];
}

/**
 * Loads the recent history that lists show for each monitor. The number of SQL statements does not depend on
 * the number of monitors.
 */
export async function loadRecentMonitorHistory(
  reader: DatabaseReader,
  orgId: string,
  ids: readonly string[],
  context: MonitorEvaluationContext,
): Promise<RecentMonitorHistory[]> {
  const rows = await listMonitorsById(reader, orgId, ids);
  const uids = rows.map(({ uid }) => uid);
  const range = { fromMs: context.nowMs - UPTIME_MS, toMs: context.nowMs, nowMs: context.nowMs };
  const [states, periods] = await Promise.all([
    getMonitorStatesByUid(reader, uids),
    getLastMonitorPeriodsByUid(reader, uids, range.fromMs, MAX_PERIODS),
  ]);
  const end = Math.ceil(context.nowMs / SLICE_MS) * SLICE_MS;
  const slices = Array.from({ length: SLICES }, (_, index) => {
    const startsAt = end - (SLICES - index) * SLICE_MS;
    return { date: '', startsAt, endsAt: startsAt + SLICE_MS };
  });
  return rows.map(({ id, uid }) => {
    const { periods: last = [], isTruncated = false } = periods.get(uid) ?? {};
    const recorded = toStatusSpans(last, states.get(uid), context);
    const sums = sumStatusDurationsByInterval(
      replaceGapsWithUnknown(recorded, context.gaps, context.nowMs),
      slices,
      context.nowMs,
    );
    return {
      id,
      uptimeRatio: summarizeUptime(recorded, context.gaps, range).uptimeRatio,
      historySince: isTruncated ? (last[0]?.started_at ?? null) : null,
      slices: sums.map((sum, index) => ({ ...sum, startedAt: slices[index]?.startsAt ?? 0 })),
    };
  });
}
