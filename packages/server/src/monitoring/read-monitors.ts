import { Fault } from '@floe/contract/faults';
import {
  getMonitorCheckPage,
  getMonitorPeriodsBefore,
  type MonitorCheckQuery,
} from '../store/monitoring/monitor-history.ts';
import { getMonitorPage, type MonitorQuery } from '../store/monitoring/monitor-page.ts';
import type { MonitoringGap } from '../store/monitoring/monitoring-liveness-values.ts';
import type {
  MonitorCheckRow,
  MonitorPeriodRow,
  MonitorStateRow,
} from '../store/monitoring/monitoring-rows.ts';
import { findMonitorById, getMonitorStatesByUid, type MonitorRow } from '../store/monitoring/monitors.ts';
import type { RowPage } from '../store/pagination.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { evaluateStateUntil } from './evaluate-state-until.ts';
import { createMonitorStateEvaluation, type MonitorState } from './monitor-state.ts';
import { parseMonitorState, parseMonitorStatus, parseMonitorTiming } from './monitor-state-columns.ts';
import {
  type MonitorStatusSpan,
  replaceGapsWithUnknown,
  summarizeUptime,
  type UptimeSummary,
} from './monitor-status-spans.ts';

/** The values that readers of monitors need in addition to the database rows. */
export interface MonitorEvaluationContext {
  /** The database time, in Unix milliseconds. */
  readonly nowMs: number;
  /**
   * The time before which all beats are committed. If a beat was due before this time and is not stored, it was
   * missed.
   */
  readonly committedUntil: number;
  readonly gaps: readonly MonitoringGap[];
}

/** The values that changes of monitors need in addition to the database rows. */
export interface MonitorChangeTime extends MonitorEvaluationContext {
  /** How often recorded times had been moved back when `nowMs` was read. */
  readonly rewindCount: number;
}

/** A monitor with its state evaluated up to now, even if the sweep has not run yet. */
export interface MonitorView {
  readonly row: MonitorRow;
  readonly state: MonitorState;
  /** The effective grace period in milliseconds, and where it is set. */
  readonly graceMs: number;
  readonly graceSource: 'monitor' | 'org';
}

/** Returns a page of an organization's monitors that match the filters. `query.sort` determines the order. */
export async function getMonitorViewPage(
  reader: DatabaseReader,
  query: MonitorQuery,
  context: MonitorEvaluationContext,
): Promise<RowPage<MonitorView>> {
  const { rows, nextCursor } = await getMonitorPage(reader, query);
  const states = await getMonitorStatesByUid(
    reader,
    rows.map(({ uid }) => uid),
  );
  const views = rows.flatMap((row) => {
    const state = states.get(row.uid);
    return state ? [toMonitorView(row, state, context)] : [];
  });
  return { rows: views, nextCursor };
}

/** Returns a monitor. Returns undefined if it does not exist or was removed. */
export async function findMonitorView(
  reader: DatabaseReader,
  orgId: string,
  id: string,
  context: MonitorEvaluationContext,
): Promise<MonitorView | undefined> {
  const row = await findMonitorById(reader, orgId, id);
  const state = row?.disabled_at === null && (await getMonitorStatesByUid(reader, [row.uid])).get(row.uid);
  return row && state ? toMonitorView(row, state, context) : undefined;
}

/**
 * Returns a monitor.
 * @throws Fault `monitor_not_found` if it does not exist or was removed
 */
export async function requireMonitorView(
  reader: DatabaseReader,
  orgId: string,
  id: string,
  context: MonitorEvaluationContext,
): Promise<MonitorView> {
  const view = await findMonitorView(reader, orgId, id, context);
  if (view) return view;
  throw new Fault('monitor_not_found', `There is no monitor "${id.slice(0, 100)}" in this organization.`);
}

/** Returns a page of a monitor's checks, newest first. */
export function readMonitorCheckPage(
  reader: DatabaseReader,
  query: MonitorCheckQuery,
): Promise<RowPage<MonitorCheckRow>> {
  return getMonitorCheckPage(reader, query);
}

/** A time range of a monitor's history, in Unix milliseconds. */
export interface MonitorHistoryRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The last spans of a time range. */
export interface MonitorStatusSpanPage {
  /** Newest first. Gaps are spans with the status `unknown`. */
  readonly spans: readonly MonitorStatusSpan[];
  /** The end of the range of the next page. Null if there are no earlier spans. */
  readonly nextToMs: number | null;
}

/**
 * Returns the newest spans of a monitor’s history that overlap the range, at most `limit`. If a gap covers
 * several periods, the page can have fewer than `limit` spans even though more exist.
 */
export async function readMonitorStatusSpanPage(
  reader: DatabaseReader,
  { row }: Pick<MonitorView, 'row'>,
  range: MonitorHistoryRange & { readonly limit: number },
  context: MonitorEvaluationContext,
): Promise<MonitorStatusSpanPage> {
  const { limit, fromMs, toMs } = range;
  const { periods, isTruncated } = await loadStatusSpans(reader, row.uid, range, context);
  const found = replaceGapsWithUnknown(periods, context.gaps, context.nowMs)
    .filter(({ startedAt, endedAt }) => startedAt < toMs && (endedAt ?? context.nowMs) > fromMs)
    .reverse();
  const spans = found.slice(0, limit);
  if (found.length > limit || !isTruncated)
    return { spans, nextToMs: found.length > limit ? (spans.at(-1)?.startedAt ?? null) : null };
  const nextToMs = periods[0]?.startedAt ?? null;
  const last = spans.at(-1);
  if (last?.status !== 'unknown') return { spans, nextToMs };
  // The gap may have started in an earlier period.
  const earlier = await readMonitorStatusSpanPage(
    reader,
    { row },
    { ...range, toMs: last.startedAt },
    context,
  );
  const [start, ...others] = earlier.spans;
  if (start?.status !== 'unknown' || start.endedAt !== last.startedAt) return { spans, nextToMs };
  return {
    spans: spans.with(-1, { ...last, startedAt: start.startedAt }),
    nextToMs: others.length > 0 ? start.startedAt : earlier.nextToMs,
  };
}

/** Maximum number of periods from which an uptime is computed. */
export const MAX_UPTIME_PERIODS = 20_000;

/**
 * Returns a monitor's uptime and downtime in a range, computed from the durations of its periods. If the range
 * has too many periods, `fromMs` of the result is later than that of the range.
 */
export async function readMonitorUptime(
  reader: DatabaseReader,
  { row }: Pick<MonitorView, 'row'>,
  range: MonitorHistoryRange,
  context: MonitorEvaluationContext,
): Promise<UptimeSummary & { readonly fromMs: number }> {
  const asked = { ...range, limit: MAX_UPTIME_PERIODS };
  const { periods, isTruncated } = await loadStatusSpans(reader, row.uid, asked, context);
  const fromMs = (isTruncated ? periods[0]?.startedAt : undefined) ?? range.fromMs;
  return {
    fromMs,
    ...summarizeUptime(periods, context.gaps, { fromMs, toMs: range.toMs, nowMs: context.nowMs }),
  };
}

/** Returns the last recorded periods of a range, and those that began after the state was last written. */
async function loadStatusSpans(
  reader: DatabaseReader,
  uid: string,
  { fromMs, toMs, limit }: MonitorHistoryRange & { readonly limit: number },
  context: MonitorEvaluationContext,
): Promise<{ readonly periods: readonly MonitorStatusSpan[]; readonly isTruncated: boolean }> {
  const query = { uid, fromMs, beforeMs: toMs, limit };
  const { periods, isTruncated, following } = await getMonitorPeriodsBefore(reader, query);
  const state = following ? undefined : (await getMonitorStatesByUid(reader, [uid])).get(uid);
  const spans = toStatusSpans(following ? [...periods, following] : periods, state, context);
  return { periods: spans.filter(({ startedAt }) => startedAt < toMs), isTruncated };
}

/**
 * Converts one monitor's recorded periods, oldest first, to spans. Adds the periods that began
 * after the monitor's state was last written.
 */
export function toStatusSpans(
  rows: readonly MonitorPeriodRow[],
  state: MonitorStateRow | undefined,
  context: MonitorEvaluationContext,
): MonitorStatusSpan[] {
  const starts = rows.map(({ started_at, status, reason }) => ({
    status: parseMonitorStatus(status),
    startedAt: started_at,
    reason,
  }));
  if (state) {
    const evaluation = createMonitorStateEvaluation(parseMonitorTiming(state), context.gaps);
    evaluateStateUntil(parseMonitorState(state), evaluation, context.committedUntil);
    for (const period of evaluation.periods) {
      // A period that starts at the same time as the previous one replaces it, as in the database.
      if (starts.at(-1)?.startedAt === period.startedAt) starts.pop();
      starts.push(period);
    }
  }
  return starts.map((span, at) => ({ ...span, endedAt: starts[at + 1]?.startedAt ?? null }));
}

/** Returns the monitor with its stored state evaluated up to now. */
export function toMonitorView(
  row: MonitorRow,
  state: MonitorStateRow,
  context: MonitorEvaluationContext,
): MonitorView {
  const until = Math.max(state.settled_at, context.committedUntil);
  return {
    row,
    state: evaluateStateUntil(
      parseMonitorState(state),
      createMonitorStateEvaluation(parseMonitorTiming(state), context.gaps),
      until,
    ),
    graceMs: state.grace_ms,
    graceSource: row.grace_ms === null ? 'org' : 'monitor',
  };
}
