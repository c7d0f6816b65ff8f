import type { MonitorConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type { MonitorRow } from '../store/monitoring/definitions.ts';
import { textsIn } from './book.ts';
import { scheduleColumns, scheduleOf } from './clock-rows.ts';
import { requireOccurrences, type Schedule } from './schedule.ts';

const MINUTE_MS = 60_000;

/** The grace of monitors that set none, in an org that sets none either (product section 6). */
export const DEFAULT_GRACE_MS = 5 * MINUTE_MS;

/** A monitor as people define it. Durations and instants in milliseconds. */
export interface MonitorDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly schedule: Schedule;
  /** Null: the org's default. */
  readonly graceMs: number | null;
  readonly firstBeatDueMs: number | null;
  readonly alertAfterMisses: number;
  readonly failCountsAsMiss: boolean;
  readonly tags: readonly string[];
  readonly channels: readonly string[];
  readonly paused: boolean;
  /** The pause ends by itself then; means a pause, too. */
  readonly pausedUntil: number | null;
  readonly mutedUntil: number | null;
}

/**
 * A monitor of floe.yaml or of the API, whose bodies have the same fields.
 *
 * @param timezone the org's, for cron expressions without one.
 * @throws Fault `invalid_request` for a cron expression that cannot be read.
 */
export function definitionOf(config: MonitorConfig, timezone: string): MonitorDefinition {
  return {
    id: config.id,
    name: config.name,
    description: config.description,
    schedule: scheduleOfConfig(config, timezone),
    graceMs: ms(config.grace_period_minutes),
    firstBeatDueMs: ms(config.first_beat_due_minutes),
    alertAfterMisses: config.alert_after_misses,
    failCountsAsMiss: config.fail_counts_as_miss,
    tags: config.tags,
    channels: config.channels,
    paused: config.paused,
    pausedUntil: instant(config.paused_until),
    mutedUntil: instant(config.muted_until),
  };
}

function scheduleOfConfig(config: MonitorConfig, timezone: string): Schedule {
  const { expected_interval_minutes: every, schedule } = config;
  if (every !== undefined) return { kind: 'interval', intervalMs: Math.round(every * MINUTE_MS) };
  if (!schedule) throw new Fault('invalid_request', 'Give expected_interval_minutes or schedule.');
  const zone = schedule.timezone ?? timezone;
  requireOccurrences(schedule.cron, zone);
  return { kind: 'cron', cron: schedule.cron, timezone: zone };
}

function ms(minutes: number | undefined): number | null {
  return minutes === undefined ? null : Math.round(minutes * MINUTE_MS);
}

function instant(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}

/** The definition as columns hold it. */
export function definitionColumns(definition: MonitorDefinition) {
  return {
    id: definition.id,
    name: definition.name,
    description: definition.description,
    ...scheduleColumns(definition.schedule),
    grace_ms: definition.graceMs,
    first_beat_due_ms: definition.firstBeatDueMs,
    alert_after_misses: definition.alertAfterMisses,
    fail_counts_as_miss: definition.failCountsAsMiss ? 1 : 0,
    tags_json: JSON.stringify(definition.tags),
    channels_json: JSON.stringify(definition.channels),
    paused: definition.paused ? 1 : 0,
    paused_until: definition.pausedUntil,
    muted_until: definition.mutedUntil,
  };
}

export function definitionOfRow(row: MonitorRow): MonitorDefinition {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    schedule: scheduleOf(row),
    graceMs: row.grace_ms,
    firstBeatDueMs: row.first_beat_due_ms,
    alertAfterMisses: row.alert_after_misses,
    failCountsAsMiss: row.fail_counts_as_miss === 1,
    tags: textsIn(row.tags_json),
    channels: textsIn(row.channels_json),
    paused: row.paused === 1,
    pausedUntil: row.paused_until,
    mutedUntil: row.muted_until,
  };
}
