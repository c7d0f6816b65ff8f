import type { MonitorConfig } from '@floe/contract/config';
import { monitorFieldsStoredAsIs } from '@floe/contract/config/monitoring';
import { Fault } from '@floe/contract/faults';
import type { MonitorRow } from '../store/monitoring/monitors.ts';
import { requireUsableCron } from './monitor-schedule.ts';
import type { MonitorScheduleColumns } from './monitor-state-columns.ts';

const MINUTE_MS = 60_000;

/** The grace period in milliseconds if neither the monitor nor its organization sets one. */
export const DEFAULT_GRACE_MS = 5 * MINUTE_MS;

/** The monitor columns that members and floe.yaml define. */
export type MonitorDefinition = Omit<
  MonitorRow,
  | 'uid'
  | 'org_id'
  | 'token_version'
  | 'file_state'
  | 'disabled_at'
  | 'source'
  | 'source_file'
  | 'source_line'
  | 'created_at'
  | 'updated_at'
  | 'updated_by'
>;

/**
 * Converts a monitor from floe.yaml or the API to database columns. Both sources have the same
 * fields.
 *
 * @param timezone the organization's time zone, for cron expressions without one
 * @throws Fault `invalid_request` for an invalid cron expression
 */
export function toMonitorDefinition(config: MonitorConfig, timezone: string): MonitorDefinition {
  return {
    id: config.id,
    ...monitorFieldsStoredAsIs.parse(config),
    ...scheduleColumns(config, timezone),
    grace_ms: minutesToMs(config.grace_period_minutes),
    first_beat_due_ms: minutesToMs(config.first_beat_due_minutes),
    fail_counts_as_miss: config.fail_counts_as_miss ? 1 : 0,
    tags_json: JSON.stringify(config.tags),
    channels_json: JSON.stringify(config.channels),
    paused: config.paused ? 1 : 0,
    paused_until: parseInstant(config.paused_until),
    muted_until: parseInstant(config.muted_until),
  };
}

function scheduleColumns(config: MonitorConfig, timezone: string): MonitorScheduleColumns {
  const { expected_interval_minutes: every, schedule } = config;
  if (every !== undefined) return { interval_ms: Math.round(every * MINUTE_MS), cron: null, timezone: null };
  if (!schedule)
    throw new Fault(
      'invalid_request',
      'A monitor requires a schedule. Set expected_interval_minutes or schedule.',
    );
  const zone = schedule.timezone ?? timezone;
  requireUsableCron(schedule.cron);
  return { interval_ms: null, cron: schedule.cron, timezone: zone };
}

function minutesToMs(minutes: number | undefined): number | null {
  return minutes === undefined ? null : Math.round(minutes * MINUTE_MS);
}

function parseInstant(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}
