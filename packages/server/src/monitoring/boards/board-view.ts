import type { BoardRow } from '../../store/monitoring/boards.ts';
import { getLastMonitorPeriodsByUid } from '../../store/monitoring/last-monitor-periods.ts';
import { listUnfinishedMaintenanceWindows } from '../../store/monitoring/maintenance-windows.ts';
import { getMonitorStatesByUid, listMonitorsById, type MonitorRow } from '../../store/monitoring/monitors.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import {
  createMaintenanceMatcher,
  listMaintenanceOccurrencesAfter,
  type MaintenanceOccurrence,
} from '../maintenance-occurrences.ts';
import type { MonitorStatus } from '../monitor-state.ts';
import { type MonitorStatusSpan, replaceGapsWithUnknown } from '../monitor-status-spans.ts';
import { parseStringListColumn } from '../monitoring-unit-of-work.ts';
import {
  type MonitorEvaluationContext,
  type MonitorHistoryRange,
  type MonitorView,
  toMonitorView,
  toStatusSpans,
} from '../read-monitors.ts';
import { parseBoardGroups } from './board.ts';
import {
  type BoardDay,
  listLastBoardDays,
  type StatusDurations,
  sumStatusDurationsByInterval,
} from './board-days.ts';

/** The number of days that a board shows. */
export const BOARD_HISTORY_DAYS = 90;
const MAX_LISTED_DOWNTIMES = 50;
/** Maximum number of status changes on a board. Anyone can request a public board, so its cost must be bounded. */
const MAX_PERIODS = 10_000;
const MAINTENANCE_LOOKAHEAD_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * A monitor on a board. It contains the name and the status history, but no description, metadata
 * or errors.
 */
export interface BoardMonitor {
  readonly id: string;
  readonly name: string;
  readonly status: MonitorStatus;
  readonly lastBeatAt: number | null;
  readonly failingSince: number | null;
  readonly pausedUntil: number | null;
  readonly maintenanceUntil: number | null;
  readonly uptimeRatio: number | null;
  readonly downtimeMs: number;
  /** The status durations of each day that the board shows, oldest first. */
  readonly days: readonly StatusDurations[];
  /** The time before which the board shows no history, because there were too many status changes. Null if there is none. */
  readonly historySince: number | null;
}

/** One downtime of a monitor, as a board shows it. */
export interface BoardDowntime {
  readonly monitorId: string;
  readonly name: string;
  readonly startedAt: number;
  /** Null while the downtime continues. */
  readonly endedAt: number | null;
  /** Duration without gaps, in milliseconds. */
  readonly durationMs: number;
}

/** An occurrence of a maintenance window that a board announces. */
export interface AnnouncedMaintenance extends MaintenanceOccurrence {
  readonly name: string;
  /** Names of the affected monitors of the board. */
  readonly monitors: readonly string[];
}

/** A board's content at a point in time. Times are in Unix milliseconds. */
export interface BoardView {
  readonly slug: string;
  readonly name: string;
  readonly timezone: string;
  readonly nowMs: number;
  /** The time before which all deadlines have been evaluated. */
  readonly checkedAt: number;
  readonly days: readonly BoardDay[];
  readonly groups: readonly { readonly name: string; readonly monitors: readonly BoardMonitor[] }[];
  /** Newest first. */
  readonly downtimes: readonly BoardDowntime[];
  /** Earliest first. */
  readonly maintenance: readonly AnnouncedMaintenance[];
}

/**
 * Loads a board's content. The number of SQL statements does not depend on the number of monitors.
 */
export async function loadBoardView(
  reader: DatabaseReader,
  row: Pick<BoardRow, 'org_id' | 'slug' | 'name' | 'timezone' | 'groups_json'>,
  orgTimezone: string,
  context: MonitorEvaluationContext,
): Promise<BoardView> {
  const groups = parseBoardGroups(row);
  const timezone = row.timezone ?? orgTimezone;
  const days = listLastBoardDays(timezone, context.nowMs, BOARD_HISTORY_DAYS);
  const ids = [...new Set(groups.flatMap(({ monitors }) => monitors))];
  const rows = await listMonitorsById(reader, row.org_id, ids);
  const uids = rows.map(({ uid }) => uid);
  const [states, periods, windows] = await Promise.all([
    getMonitorStatesByUid(reader, uids),
    getLastMonitorPeriodsByUid(reader, uids, days[0]?.startsAt ?? context.nowMs, MAX_PERIODS),
    listUnfinishedMaintenanceWindows(reader, [row.org_id], context.nowMs),
  ]);
  const publicWindows = windows.filter(({ show_on_boards }) => show_on_boards === 1);
  const announced = findAnnouncedMaintenance(publicWindows, rows, context.nowMs);
  const maintenanceEnds = mapMaintenanceEnds(announced, context.nowMs);
  const shown = new Map<string, BoardMonitor>();
  const downtimes: BoardDowntime[] = [];
  for (const monitor of rows) {
    const state = states.get(monitor.uid);
    if (!state) continue;
    const { periods: rows = [], isTruncated = false } = periods.get(monitor.uid) ?? {};
    const recorded = toStatusSpans(rows, state, context);
    const spans = replaceGapsWithUnknown(recorded, context.gaps, context.nowMs);
    const until = maintenanceEnds.get(monitor.id) ?? null;
    const view = toMonitorView(monitor, state, context);
    const durations = sumStatusDurationsByInterval(spans, days, context.nowMs);
    const historySince = isTruncated ? (rows[0]?.started_at ?? null) : null;
    shown.set(monitor.id, { ...toBoardMonitor(view, until, durations), historySince });
    downtimes.push(
      ...toBoardDowntimes(monitor, recorded, spans, { fromMs: days[0]?.startsAt ?? 0, toMs: context.nowMs }),
    );
  }
  return {
    slug: row.slug,
    name: row.name,
    timezone,
    nowMs: context.nowMs,
    checkedAt: context.committedUntil,
    days,
    groups: groups.map(({ name, monitors }) => ({
      name,
      monitors: monitors.flatMap((id) => shown.get(id) ?? []),
    })),
    downtimes: downtimes
      .toSorted((one, other) => other.startedAt - one.startedAt)
      .slice(0, MAX_LISTED_DOWNTIMES),
    maintenance: announced.map(({ name, startsAt, endsAt, monitors }) => ({
      name,
      startsAt,
      endsAt,
      monitors: monitors.map((monitor) => monitor.name),
    })),
  };
}

function toBoardMonitor(
  { row, state }: MonitorView,
  maintenanceUntil: number | null,
  days: readonly StatusDurations[],
): Omit<BoardMonitor, 'historySince'> {
  return {
    id: row.id,
    name: row.name,
    status: state.status,
    lastBeatAt: state.lastBeatAt,
    failingSince: state.failingSince,
    pausedUntil: state.pausedUntil,
    maintenanceUntil,
    ...sumUptime(days),
    days,
  };
}

interface AnnouncedMaintenanceRows extends MaintenanceOccurrence {
  readonly name: string;
  readonly monitors: readonly MonitorRow[];
}

/**
 * Returns the next occurrence of each maintenance window that affects the board and starts within seven days,
 * earliest first.
 */
function findAnnouncedMaintenance(
  windows: Awaited<ReturnType<typeof listUnfinishedMaintenanceWindows>>,
  monitors: readonly MonitorRow[],
  nowMs: number,
): AnnouncedMaintenanceRows[] {
  const candidates = monitors.map((row) => ({
    row,
    fields: { id: row.id, tags: parseStringListColumn(row.tags_json) },
  }));
  const found = windows.flatMap((row) => {
    const [next] = listMaintenanceOccurrencesAfter(row, nowMs, 1);
    if (!next || next.startsAt > nowMs + MAINTENANCE_LOOKAHEAD_MS) return [];
    const isAbout = createMaintenanceMatcher(row);
    const about = candidates.flatMap((monitor) => (isAbout(monitor.fields) ? [monitor.row] : []));
    return about.length === 0 ? [] : [{ ...next, name: row.name, monitors: about }];
  });
  return found.toSorted((one, other) => one.startsAt - other.startsAt);
}

/** Returns the end of the announced maintenance, for each monitor that is under maintenance. */
function mapMaintenanceEnds(
  announced: readonly AnnouncedMaintenanceRows[],
  nowMs: number,
): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const { startsAt, endsAt, monitors } of announced)
    if (startsAt <= nowMs)
      for (const { id } of monitors) ends.set(id, Math.max(ends.get(id) ?? endsAt, endsAt));
  return ends;
}

function sumUptime(sums: readonly StatusDurations[]): { uptimeRatio: number | null; downtimeMs: number } {
  let healthy = 0;
  let failing = 0;
  for (const day of sums) {
    healthy += day.healthy;
    failing += day.failing;
  }
  const judged = healthy + failing;
  return { uptimeRatio: judged === 0 ? null : healthy / judged, downtimeMs: failing };
}

function toBoardDowntimes(
  { id, name }: MonitorRow,
  recorded: readonly MonitorStatusSpan[],
  spans: readonly MonitorStatusSpan[],
  { fromMs, toMs: nowMs }: MonitorHistoryRange,
): BoardDowntime[] {
  const failing = recorded.filter(
    ({ status, endedAt }) => status === 'failing' && (endedAt ?? nowMs) > fromMs,
  );
  const seen = spans.filter(({ status }) => status === 'failing');
  return failing.slice(-MAX_LISTED_DOWNTIMES).map(({ startedAt, endedAt }) => {
    const end = endedAt ?? nowMs;
    const lastedMs = seen
      .filter((span) => span.startedAt >= startedAt && (span.endedAt ?? nowMs) <= end)
      .reduce((sum, span) => sum + (span.endedAt ?? nowMs) - span.startedAt, 0);
    return { monitorId: id, name, startedAt, endedAt, durationMs: lastedMs };
  });
}
