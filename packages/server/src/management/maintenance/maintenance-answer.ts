import { type MaintenanceWindow, windowStored } from '@floe/contract/api/maintenance';
import type { JsonObject } from '@floe/contract/json';
import { textsIn } from '../../monitoring/book.ts';
import { occurrenceAt, occurrencesAfter } from '../../monitoring/maintenance.ts';
import type { MaintenanceRow } from '../../store/monitoring/maintenance.ts';
import { isoOrNull } from '../monitors/monitoring-host.ts';

export function windowAnswer(row: MaintenanceRow, nowMs: number): MaintenanceWindow {
  const now = occurrenceAt(row, nowMs);
  const next = occurrencesAfter(row, nowMs, now ? 4 : 3).filter(({ startsAt }) => startsAt > nowMs);
  return {
    id: row.id,
    ...settingsOf(row),
    active_until: isoOrNull(now?.endsAt ?? null),
    next: next.map(({ startsAt, endsAt }) => ({
      starts_at: new Date(startsAt).toISOString(),
      ends_at: new Date(endsAt).toISOString(),
    })),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}

export function settingsOf(row: MaintenanceRow) {
  return {
    ...windowStored.parse(row),
    starts_at: isoOrNull(row.starts_at),
    ends_at: isoOrNull(row.ends_at),
    schedule: row.cron === null ? null : { cron: row.cron, timezone: row.timezone ?? 'UTC' },
    duration_minutes: row.duration_ms === null ? null : row.duration_ms / 60_000,
    monitors: textsIn(row.monitors_json),
    tags: textsIn(row.tags_json),
    on_boards: row.on_boards === 1,
  };
}

/** A window as the audit log keeps it. */
export function windowShown(row: MaintenanceRow): JsonObject {
  return { id: row.id, ...settingsOf(row) };
}
