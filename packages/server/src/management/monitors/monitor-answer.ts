import type { Check, Monitor } from '@floe/contract/api/monitors';
import { check, type monitor } from '@floe/contract/api/monitors';
import { monitorStored } from '@floe/contract/config/monitoring';
import type { JsonObject } from '@floe/contract/json';
import { beatToken } from '../../monitoring/beat-token.ts';
import { textsIn } from '../../monitoring/book.ts';
import type { MonitorView } from '../../monitoring/read.ts';
import type { Actor } from '../../platform/actor.ts';
import { placeOf } from '../../platform/file-place.ts';
import { holds } from '../../platform/keyring.ts';
import type { CheckRow } from '../../store/monitoring/clock-row.ts';
import type { MonitorRow } from '../../store/monitoring/definitions.ts';
import { isoOrNull, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';

const MINUTE_MS = 60_000;

/** A monitor as the API shows it. Its beat URL is a secret: only to those who may change the monitor. */
export function monitorAnswer(view: MonitorView, actor: Actor, host: MonitoringHost): Monitor {
  const { row, clock, graceMs, graceSource } = view;
  const mayBeat = MONITORING_SCOPES.some((scope) => holds(actor.scopes, scope));
  const token = mayBeat ? beatToken(host.secret, row.uid, row.token_version) : null;
  return {
    id: row.id,
    kind: 'heartbeat',
    ...settingsOf(row),
    paused: clock.status === 'paused',
    paused_until: clock.status === 'paused' ? isoOrNull(clock.pausedUntil) : null,
    grace_period_minutes: graceMs / MINUTE_MS,
    grace_source: graceSource,
    status: clock.status,
    last_beat_at: isoOrNull(clock.lastBeatAt),
    next_due_at: isoOrNull(clock.expectedAt),
    deadline_at: isoOrNull(clock.expectedAt === null ? null : clock.dueAt),
    failing_since: isoOrNull(clock.failingSince),
    beat_url: token && `${host.baseUrl()}/beat/${token}`,
    source: placeOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}

/** The settings that have one form in answers, in documents and in the audit log. */
export function settingsOf(row: MonitorRow) {
  const { name, description, ...plain } = monitorStored.parse(row);
  return {
    name,
    description,
    expected_interval_minutes: minutesOf(row.interval_ms),
    schedule: row.cron === null ? null : { cron: row.cron, timezone: row.timezone ?? 'UTC' },
    tags: textsIn(row.tags_json),
    channels: textsIn(row.channels_json),
    muted_until: isoOrNull(row.muted_until),
    ...plain,
    fail_counts_as_miss: row.fail_counts_as_miss === 1,
    first_beat_due_minutes: minutesOf(row.first_beat_due_ms),
  };
}

/** A monitor as the audit log keeps it. */
export function monitorShown(row: MonitorRow): JsonObject {
  return {
    id: row.id,
    ...settingsOf(row),
    grace_period_minutes: minutesOf(row.grace_ms),
    paused: row.paused === 1,
    paused_until: isoOrNull(row.paused_until),
    beat_url_version: row.token_version,
  };
}

export function minutesOf(ms: number | null): number | null {
  return ms === null ? null : ms / MINUTE_MS;
}

export function checkAnswer(row: CheckRow): Check {
  return {
    id: row.id,
    status: check.shape.status.parse(row.status),
    error: row.error,
    expected_at: isoOrNull(row.expected_at),
    detected_at: new Date(row.detected_at).toISOString(),
    received_at: isoOrNull(row.received_at),
    duration_ms: row.duration_ms,
    metadata: row.metadata_json === null ? null : JSON.parse(row.metadata_json),
    stands_for: row.stands_for,
  };
}

/** Fields of an answer that a replacement may carry and that change nothing. */
export const READ_ONLY = new Set<string>([
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
] satisfies (keyof typeof monitor.shape)[]);
