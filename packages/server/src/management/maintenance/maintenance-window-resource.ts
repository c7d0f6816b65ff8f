import { type MaintenanceWindow, maintenanceWindowFieldsStoredAsIs } from '@floe/contract/api/maintenance';
import type { JsonObject } from '@floe/contract/json';
import {
  findMaintenanceOccurrenceAt,
  listMaintenanceOccurrencesAfter,
} from '../../monitoring/maintenance-occurrences.ts';
import { parseStringListColumn } from '../../monitoring/monitoring-unit-of-work.ts';
import type { MaintenanceWindowRow } from '../../store/monitoring/maintenance-windows.ts';
import { toIsoTimestampOrNull } from '../monitors/monitoring-dependencies.ts';

/** Converts a maintenance window to the API format, with its next occurrences. */
export function toMaintenanceWindowResource(row: MaintenanceWindowRow, nowMs: number): MaintenanceWindow {
  const now = findMaintenanceOccurrenceAt(row, nowMs);
  const next = listMaintenanceOccurrencesAfter(row, nowMs, now ? 4 : 3).filter(
    ({ startsAt }) => startsAt > nowMs,
  );
  return {
    id: row.id,
    ...toMaintenanceWindowSettings(row),
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

/** Returns a maintenance window's settings in the API format. */
export function toMaintenanceWindowSettings(row: MaintenanceWindowRow) {
  return {
    ...maintenanceWindowFieldsStoredAsIs.parse(row),
    starts_at: toIsoTimestampOrNull(row.starts_at),
    ends_at: toIsoTimestampOrNull(row.ends_at),
    schedule: row.cron === null ? null : { cron: row.cron, timezone: row.timezone ?? 'UTC' },
    duration_minutes: row.duration_ms === null ? null : row.duration_ms / 60_000,
    monitors: parseStringListColumn(row.monitors_json),
    tags: parseStringListColumn(row.tags_json),
    show_on_boards: row.show_on_boards === 1,
  };
}

/** Returns a maintenance window in the form that the audit log records. */
export function toMaintenanceWindowAuditView(row: MaintenanceWindowRow): JsonObject {
  return { id: row.id, ...toMaintenanceWindowSettings(row) };
}
