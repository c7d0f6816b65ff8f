import { type MaintenanceWindow, storedMaintenanceWindowFields } from '@floe/contract/api/maintenance';
import type { JsonObject } from '@floe/contract/json';
import {
  maintenanceOccurrenceAt,
  maintenanceOccurrencesAfter,
} from '../../monitoring/maintenance-occurrences.ts';
import { parseStringList } from '../../monitoring/unit-of-work.ts';
import type { MaintenanceWindowRow } from '../../store/monitoring/maintenance-windows.ts';
import { toIsoTimestampOrNull } from '../monitors/monitoring-dependencies.ts';

/** Converts a maintenance window to its API format, with its next occurrences. */
export function toMaintenanceWindowResource(row: MaintenanceWindowRow, nowMs: number): MaintenanceWindow {
  const now = maintenanceOccurrenceAt(row, nowMs);
  const next = maintenanceOccurrencesAfter(row, nowMs, now ? 4 : 3).filter(
    ({ startsAt }) => startsAt > nowMs,
  );
  return {
    id: row.id,
    ...maintenanceWindowSettings(row),
    active_until: toIsoTimestampOrNull(now?.endsAt ?? null),
    next: next.map(({ startsAt, endsAt }) => ({
      starts_at: new Date(startsAt).toISOString(),
      ends_at: new Date(endsAt).toISOString(),
    })),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}

/** The settings of a maintenance window in API format. */
export function maintenanceWindowSettings(row: MaintenanceWindowRow) {
  return {
    ...storedMaintenanceWindowFields.parse(row),
    starts_at: toIsoTimestampOrNull(row.starts_at),
    ends_at: toIsoTimestampOrNull(row.ends_at),
    schedule: row.cron === null ? null : { cron: row.cron, timezone: row.timezone ?? 'UTC' },
    duration_minutes: row.duration_ms === null ? null : row.duration_ms / 60_000,
    monitors: parseStringList(row.monitors_json),
    tags: parseStringList(row.tags_json),
    show_on_boards: row.show_on_boards === 1,
  };
}

/** A window as the audit log records it. */
export function toMaintenanceWindowAuditView(row: MaintenanceWindowRow): JsonObject {
  return { id: row.id, ...maintenanceWindowSettings(row) };
}
