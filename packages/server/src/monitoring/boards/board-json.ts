import type { BoardStatus } from '@floe/contract/api/boards';
import type { BoardMonitor, BoardView } from './board-view.ts';

/** Returns the first of `failing`, `healthy`, `waiting` and `paused` that a monitor has; `empty` without monitors. */
export function computeOverallBoardStatus({ groups }: Pick<BoardView, 'groups'>): BoardStatus['status'] {
  const states = new Set(groups.flatMap(({ monitors }) => monitors.map(({ status }) => status)));
  for (const state of ['failing', 'healthy', 'waiting', 'paused'] as const)
    if (states.has(state)) return state;
  return 'empty';
}

/** Converts a board to JSON that contains the same data as the public page. */
export function toBoardStatus(view: BoardView): BoardStatus {
  return {
    slug: view.slug,
    name: view.name,
    timezone: view.timezone,
    status: computeOverallBoardStatus(view),
    generated_at: iso(view.nowMs),
    checked_at: iso(view.checkedAt),
    groups: view.groups.map(({ name, monitors }) => ({
      name,
      monitors: monitors.map((monitor) => toMonitorStatusJson(monitor, view)),
    })),
    downtime: view.downtimes.map(({ monitorId, name, startedAt, endedAt, durationMs }) => ({
      monitor_id: monitorId,
      name,
      started_at: iso(startedAt),
      ended_at: endedAt === null ? null : iso(endedAt),
      downtime_seconds: durationMs / 1000,
    })),
    maintenance: view.maintenance.map(({ name, startsAt, endsAt, monitors }) => ({
      name,
      starts_at: iso(startsAt),
      ends_at: iso(endsAt),
      monitors: [...monitors],
    })),
  };
}

function toMonitorStatusJson(monitor: BoardMonitor, { days }: BoardView) {
  return {
    id: monitor.id,
    name: monitor.name,
    status: monitor.status,
    last_beat_at: isoOrNull(monitor.lastBeatAt),
    failing_since: isoOrNull(monitor.failingSince),
    maintenance_until: isoOrNull(monitor.maintenanceUntil),
    uptime_ratio: monitor.uptimeRatio,
    downtime_seconds: monitor.downtimeMs / 1000,
    history_since: isoOrNull(monitor.historySince),
    days: monitor.days.map((sums, index) => ({
      date: days[index]?.date ?? '',
      healthy_seconds: sums.healthy / 1000,
      failing_seconds: sums.failing / 1000,
      unknown_seconds: sums.unknown / 1000,
      paused_seconds: sums.paused / 1000,
    })),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
