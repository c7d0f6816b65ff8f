import type { BoardRow } from '../../store/monitoring/boards.ts';
import { listUnfinishedMaintenanceWindows } from '../../store/monitoring/maintenance-windows.ts';
import { listLastMonitorPeriods } from '../../store/monitoring/monitor-history.ts';
import { getMonitorStatesByUid, listMonitorsById, type MonitorRow } from '../../store/monitoring/monitors.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import {
  createMaintenanceMatcher,
  listMaintenanceOccurrencesAfter,
  type MaintenanceOccurrence,
} from '../maintenance-occurrences.ts';
import type { MonitorStatus } from '../monitor-state.ts';
import { parseStringListColumn } from '../monitoring-unit-of-work.ts';
import {
  type MonitorEvaluationContext,
  type MonitorHistoryRange,
  type MonitorView,
  toMonitorView,
  toStatusSpans,
} from '../read-monitors.ts';
import { type MonitorStatusSpan, replaceGapsWithUnknown } from '../timeline.ts';
import { parseBoardGroups } from './board.ts';
import {
  type BoardDay,
  listLastBoardDays,
  type StatusDurations,
  sumStatusDurationsByDay,
} from './board-days.ts';

/** The number of days that a board shows. */
export const BOARD_HISTORY_DAYS = 90;
const MAX_LISTED_DOWNTIMES = 50;
/**
 * Maximum number of status changes that a board shows, and the number that it shows of each monitor in any
 * case. Anyone can request a public board, so its cost must be bounded.
 */
const MAX_PERIODS = 100_000;
const MIN_PERIODS_PER_MONITOR = 400;
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
    listLastMonitorPeriods(reader, uids, days[0]?.startsAt ?? context.nowMs, maxPeriodsOf(uids.length)),
    listUnfinishedMaintenanceWindows(reader, [row.org_id], context.nowMs),
  ]);
  const publicWindows = windows.filter(({ show_on_boards }) => show_on_boards === 1);
  const announced = findAnnouncedMaintenance(publicWindows, rows, context.nowMs);
  const shown = new Map<string, BoardMonitor>();
  const downtimes: BoardDowntime[] = [];
  for (const monitor of rows) {
    const state = states.get(monitor.uid);
    if (!state) continue;
    const recorded = toStatusSpans(periods.get(monitor.uid) ?? [], state, context);
    const spans = replaceGapsWithUnknown(recorded, context.gaps, context.nowMs);
    const until = currentMaintenanceEnd(announced, monitor.id, context.nowMs);
    const view = toMonitorView(monitor, state, context);
    const durations = sumStatusDurationsByDay(spans, days, context.nowMs);
    shown.set(monitor.id, toBoardMonitor(view, until, durations));
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

function maxPeriodsOf(monitorCount: number): number {
  return Math.max(MIN_PERIODS_PER_MONITOR, Math.floor(MAX_PERIODS / Math.max(1, monitorCount)));
}

function toBoardMonitor(
  { row, state }: MonitorView,
  maintenanceUntil: number | null,
  days: readonly StatusDurations[],
): BoardMonitor {
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
  const found = windows.flatMap((row) => {
    const [next] = listMaintenanceOccurrencesAfter(row, nowMs, 1);
    if (!next || next.startsAt > nowMs + MAINTENANCE_LOOKAHEAD_MS) return [];
    const isAbout = createMaintenanceMatcher(row);
    const about = monitors.filter(({ id, tags_json }) =>
      isAbout({ id, tags: parseStringListColumn(tags_json) }),
    );
    return about.length === 0 ? [] : [{ ...next, name: row.name, monitors: about }];
  });
  return found.toSorted((one, other) => one.startsAt - other.startsAt);
}

function currentMaintenanceEnd(
  announced: readonly AnnouncedMaintenanceRows[],
  id: string,
  nowMs: number,
): number | null {
  const ends = announced
    .filter(({ startsAt, monitors }) => startsAt <= nowMs && monitors.some((monitor) => monitor.id === id))
    .map(({ endsAt }) => endsAt);
  return ends.length === 0 ? null : Math.max(...ends);
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
