import type { MaintenanceWindowRow } from '../store/monitoring/maintenance-windows.ts';
import { createScheduleOccurrences } from './monitor-schedule.ts';
import { parseStringListColumn } from './monitoring-unit-of-work.ts';

/** One occurrence of a maintenance window. Times are in Unix milliseconds. */
export interface MaintenanceOccurrence {
  readonly startsAt: number;
  readonly endsAt: number;
}

/** The properties of a monitor by which maintenance windows select it. */
export interface MaintenanceMatchFields {
  readonly id: string;
  readonly tags: readonly string[];
}

/**
 * Returns a function that determines whether a maintenance window applies to a monitor. A window selects
 * monitors by id or by tag, or selects all monitors.
 */
export function createMaintenanceMatcher(
  row: MaintenanceWindowRow,
): (monitor: MaintenanceMatchFields) => boolean {
  const ids = new Set(parseStringListColumn(row.monitors_json));
  const tags = new Set(parseStringListColumn(row.tags_json));
  if (ids.size === 0 && tags.size === 0) return () => true;
  return (monitor) => ids.has(monitor.id) || monitor.tags.some((tag) => tags.has(tag));
}

/**
 * Returns the maintenance window's occurrence at `nowMs`; null if there is none. The end of an occurrence is
 * exclusive.
 */
export function findMaintenanceOccurrenceAt(
  row: MaintenanceWindowRow,
  nowMs: number,
): MaintenanceOccurrence | null {
  const [first] = listMaintenanceOccurrencesAfter(row, nowMs, 1);
  return first && first.startsAt <= nowMs ? first : null;
}

/**
 * Returns up to `count` occurrences that end after `afterMs`, earliest first. The first one may
 * already have started.
 */
export function listMaintenanceOccurrencesAfter(
  row: MaintenanceWindowRow,
  afterMs: number,
  count: number,
): MaintenanceOccurrence[] {
  const { starts_at: from, ends_at: to, cron, timezone, duration_ms: lasting } = row;
  const until = to ?? Number.POSITIVE_INFINITY;
  if (until <= afterMs) return [];
  if (cron === null || lasting === null) return from === null ? [] : [{ startsAt: from, endsAt: until }];
  const { after } = createScheduleOccurrences({ kind: 'cron', cron, timezone: timezone ?? 'UTC' });
  const found: MaintenanceOccurrence[] = [];
  let at = Math.max(afterMs - lasting, (from ?? 0) - 1);
  while (found.length < count) {
    const startsAt = after(at);
    if (startsAt === null || startsAt >= until) break;
    const endsAt = Math.min(startsAt + lasting, until);
    if (endsAt > afterMs) found.push({ startsAt, endsAt });
    at = startsAt;
  }
  return found;
}
