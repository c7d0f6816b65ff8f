import type { CheckResource } from '@floe/contract/api/monitor-history';
import { checkResource } from '@floe/contract/api/monitor-history';
import type { Monitor, monitorResource } from '@floe/contract/api/monitors';
import { monitorFieldsStoredAsIs } from '@floe/contract/config/monitoring';
import type { JsonObject } from '@floe/contract/json';
import { deriveBeatToken } from '../../monitoring/beat-token.ts';
import { parseStringListColumn } from '../../monitoring/monitoring-unit-of-work.ts';
import type { MonitorView } from '../../monitoring/read-monitors.ts';
import type { Actor } from '../../platform/actor.ts';
import { includesKeyScope } from '../../platform/keyring.ts';
import { toResourceSource } from '../../platform/source-location.ts';
import type { MonitorCheckRow } from '../../store/monitoring/monitoring-rows.ts';
import type { MonitorRow } from '../../store/monitoring/monitors.ts';
import {
  MONITORING_SCOPES,
  type MonitoringDependencies,
  toIsoTimestampOrNull,
} from './monitoring-dependencies.ts';

const MINUTE_MS = 60_000;

/**
 * Converts a monitor to the API format. The beat URL is a secret, so it is included only for
 * callers who may change the monitor.
 */
export function toMonitorResource(
  view: MonitorView,
  actor: Actor,
  dependencies: MonitoringDependencies,
): Monitor {
  const { row, state, graceMs, graceSource } = view;
  const mayBeat = MONITORING_SCOPES.some((scope) => includesKeyScope(actor.scopes, scope));
  const token = mayBeat ? deriveBeatToken(dependencies.beatSecret, row.uid, row.token_version) : null;
  return {
    id: row.id,
    kind: 'heartbeat',
    ...toMonitorSettings(row),
    paused: state.status === 'paused',
    paused_until: state.status === 'paused' ? toIsoTimestampOrNull(state.pausedUntil) : null,
    grace_period_minutes: graceMs / MINUTE_MS,
    grace_source: graceSource,
    status: state.status,
    last_beat_at: toIsoTimestampOrNull(state.lastBeatAt),
    next_due_at: toIsoTimestampOrNull(state.expectedAt),
    deadline_at: toIsoTimestampOrNull(state.dueAt),
    failing_since: toIsoTimestampOrNull(state.failingSince),
    beat_url: token && `${dependencies.baseUrl()}/beat/${token}`,
    source: toResourceSource(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}

/** Returns a monitor's settings in the format that responses, documents and the audit log share. */
export function toMonitorSettings(row: MonitorRow) {
  const { name, description, ...plain } = monitorFieldsStoredAsIs.parse(row);
  return {
    name,
    description,
    expected_interval_minutes: msToMinutes(row.interval_ms),
    schedule: row.cron === null ? null : { cron: row.cron, timezone: row.timezone ?? 'UTC' },
    tags: parseStringListColumn(row.tags_json),
    channels: parseStringListColumn(row.channels_json),
    muted_until: toIsoTimestampOrNull(row.muted_until),
    ...plain,
    fail_counts_as_miss: row.fail_counts_as_miss === 1,
    first_beat_due_minutes: msToMinutes(row.first_beat_due_ms),
  };
}

/** Converts a monitor to the form that the audit log records. */
export function toMonitorAuditView(row: MonitorRow): JsonObject {
  return {
    id: row.id,
    ...toMonitorSettings(row),
    grace_period_minutes: msToMinutes(row.grace_ms),
    paused: row.paused === 1,
    paused_until: toIsoTimestampOrNull(row.paused_until),
    beat_url_version: row.token_version,
  };
}

/** Converts milliseconds to minutes. Null remains null. */
export function msToMinutes(ms: number | null): number | null {
  return ms === null ? null : ms / MINUTE_MS;
}

/** Converts a check to the API format. */
export function toCheckResource(row: MonitorCheckRow): CheckResource {
  return {
    id: row.id,
    status: checkResource.shape.status.parse(row.status),
    error: row.error,
    expected_at: toIsoTimestampOrNull(row.expected_at),
    detected_at: new Date(row.detected_at).toISOString(),
    received_at: toIsoTimestampOrNull(row.received_at),
    duration_ms: row.duration_ms,
    metadata: row.metadata_json === null ? null : JSON.parse(row.metadata_json),
    missed_count: row.status === 'missed' ? row.missed_count : 0,
  };
}

/** The read-only fields that a replace request may contain without effect. */
export const READ_ONLY_MONITOR_FIELDS = new Set<string>([
  'kind',
  'status',
  'last_beat_at',
  'next_due_at',
  'deadline_at',
  'failing_since',
  'beat_url',
  'source',
  'created_at',
  'updated_at',
  'updated_by',
  'grace_source',
] satisfies (keyof typeof monitorResource.shape)[]);
