import { Fault } from '@floe/contract/faults';
import {
  getMonitorCheckPage,
  listMonitorPeriodsInRange,
  type MonitorCheckQuery,
} from '../store/monitoring/monitor-history.ts';
import { getMonitorPage, type MonitorQuery } from '../store/monitoring/monitor-page.ts';
import type {
  MonitorCheckRow,
  MonitorPeriodRow,
  MonitorStateRow,
} from '../store/monitoring/monitoring-rows.ts';
import { findMonitorById, getMonitorStatesByUid, type MonitorRow } from '../store/monitoring/monitors.ts';
import type { RowPage } from '../store/pagination.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { evaluateStateUntil } from './evaluate-state-until.ts';
import { type AvailabilityGap, createStateEvaluation, type MonitorState } from './monitor-state.ts';
import { parseMonitorPlan, parseMonitorState, parseMonitorStatus } from './monitor-state-columns.ts';
import {
  type MonitorStatusSpan,
  replaceGapsWithUnknown,
  summarizeUptime,
  type UptimeSummary,
} from './timeline.ts';

/** The values that readers of monitors need in addition to the database rows. */
export interface MonitorEvaluationContext {
  /** The database time, in Unix milliseconds. */
  readonly nowMs: number;
  /**
   * The time before which all beats are committed. A beat that was due before this time and is not stored was
   * missed.
   */
  readonly committedUntil: number;
  readonly gaps: readonly AvailabilityGap[];
}

/** A monitor with its state evaluated up to now, even if the sweep has not run yet. */
export interface MonitorView {
  readonly row: MonitorRow;
  readonly state: MonitorState;
  /** The effective grace period in milliseconds, and where it is set. */
  readonly graceMs: number;
  readonly graceSource: 'monitor' | 'org';
}

/** Returns an organization's monitors that match the filters. `query.sort` determines the order. */
export async function listMonitors(
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
 * @throws Fault `monitor_not_found`
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
export function readMonitorChecks(
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

/**
 * Returns the spans of a monitor's history that overlap the range, oldest first. Gaps are spans
 * with the status `unknown`.
 */
export async function readMonitorStatusSpans(
  reader: DatabaseReader,
  { row }: Pick<MonitorView, 'row'>,
  range: MonitorHistoryRange,
  context: MonitorEvaluationContext,
): Promise<MonitorStatusSpan[]> {
  const spans = replaceGapsWithUnknown(
    await loadStatusSpans(reader, row.uid, range, context),
    context.gaps,
    context.nowMs,
  );
  return spans.filter(
    ({ startedAt, endedAt }) => startedAt < range.toMs && (endedAt ?? context.nowMs) > range.fromMs,
  );
}

/** Returns a monitor's uptime and downtime in a range, computed from the durations of its periods. */
export async function readMonitorUptime(
  reader: DatabaseReader,
  { row }: Pick<MonitorView, 'row'>,
  range: MonitorHistoryRange,
  context: MonitorEvaluationContext,
): Promise<UptimeSummary> {
  const periods = await loadStatusSpans(reader, row.uid, range, context);
  return summarizeUptime(periods, context.gaps, { ...range, nowMs: context.nowMs });
}

/** Returns the recorded periods, and those that began after the state was last written. */
async function loadStatusSpans(
  reader: DatabaseReader,
  uid: string,
  range: MonitorHistoryRange,
  context: MonitorEvaluationContext,
): Promise<MonitorStatusSpan[]> {
  const rows = await listMonitorPeriodsInRange(reader, uid, range.fromMs, Number.MAX_SAFE_INTEGER);
  const state = (await getMonitorStatesByUid(reader, [uid])).get(uid);
  return toStatusSpans(rows, state, context).filter(({ startedAt }) => startedAt < range.toMs);
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
    const evaluation = createStateEvaluation(parseMonitorPlan(state), context.gaps);
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
      createStateEvaluation(parseMonitorPlan(state), context.gaps),
      until,
    ),
    graceMs: state.grace_ms,
    graceSource: row.grace_ms === null ? 'org' : 'monitor',
  };
}
