import type { maintenanceWindowFieldsStoredAsIs } from '@floe/contract/api/maintenance';
import type { boardFieldsStoredAsIs, monitorFieldsStoredAsIs } from '@floe/contract/config/monitoring';
import type { Generated } from 'kysely';
import type * as z from 'zod';

/** The definitions of monitors. Their state is in `monitor_clocks`. */
export interface MonitorsTable extends z.output<typeof monitorFieldsStoredAsIs> {
  /**
   * Identifies the history. If a removed monitor is created again before retention deletes it, it gets the
   * same uid.
   */
  uid: string;
  org_id: string;
  /** The `monitor_id` that jobs send. Unique in the organization. */
  id: string;
  /** Milliseconds between beats. Null for a monitor with `cron` and `timezone`. */
  interval_ms: number | null;
  cron: string | null;
  timezone: string | null;
  /** Null for the organization's default. */
  grace_ms: number | null;
  first_beat_due_ms: number | null;
  /** 1 if a reported failure counts as one miss. */
  fail_counts_as_miss: number;
  tags_json: string;
  channels_json: string;
  paused: number;
  paused_until: number | null;
  muted_until: number | null;
  /**
   * The last pause and mute in floe.yaml, as JSON. Changes through the API are kept as long as these values
   * stay the same.
   */
  file_state?: string | null | undefined;
  /**
   * Incremented when the beat URL is rotated. The token in the URL is derived from it (`deriveBeatToken`).
   */
  token_version: number;
  /**
   * When the monitor was removed. It accepts no beats and is not evaluated. Retention deletes the row with
   * the history.
   */
  disabled_at: number | null;
  /** `file` or `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/**
 * The state of each monitor. Every beat reads and writes a row. The table therefore has few columns, but they
 * contain everything that a beat needs.
 */
export interface MonitorStatesTable {
  uid: string;
  org_id: string;
  id: string;
  /** SHA-256 of the token of the beat URL, hex. */
  token_hash: string;
  interval_ms: number | null;
  cron: string | null;
  timezone: string | null;
  /** The effective grace period: that of the monitor, or the default of the organization. */
  grace_ms: number;
  first_beat_due_ms: number | null;
  alert_after_misses: number;
  /** 1 if a reported failure counts as one miss. */
  fail_counts_as_miss: number;
  status: string;
  last_beat_at: number | null;
  anchor_at: number;
  expected_at: number | null;
  due_at: number | null;
  failing_since: number | null;
  misses: number;
  alerted_since: number | null;
  /** The original deadline, if a gap has extended it. */
  extended_from: number | null;
  /** Milliseconds between the last 20 beats, comma-separated. */
  intervals: string;
  paused_until: number | null;
  period_at: number;
  settled_at: number;
  run_at: number | null;
  run_id: string | null;
  /**
   * The time after which the sweep evaluates the state. It may be earlier than necessary, because it is
   * indexed and beats change it only if they must.
   */
  wake_at: number;
}

/**
 * The checks. A row represents a beat, one or more missed beats, an expected beat in a gap, or a `started` or `logged`
 * call.
 */
export interface MonitorChecksTable {
  uid: string;
  /** When the beat arrived, or when the missed check was certain. Lists are sorted by this time. */
  at: number;
  id: string;
  /** `ok`, `missed`, `failed` or `unknown`; `started` and `logged` for calls that do not count as beats. */
  status: string;
  error: string | null;
  expected_at: number | null;
  detected_at: number;
  received_at: number | null;
  duration_ms: number | null;
  metadata_json: string | null;
  /** Number of missed beats that this row represents. More than 1 only if many beats were missed at once. */
  missed_count: number;
}

/** One row for each period of a monitor. A period ends at the start of the monitor's next period. */
export interface MonitorPeriodsTable {
  uid: string;
  started_at: number;
  status: string;
  reason: string;
}

/** The idempotency keys of beats. A row is kept for two days. */
export interface BeatIdempotencyKeysTable {
  uid: string;
  key: string;
  beat_id: string;
  received_at: number;
}

/** The default grace period of each organization. */
export interface MonitorDefaultsTable {
  org_id: string;
  grace_ms: number;
}

/** The processes that accept beats, one row each. */
export interface MonitorLeasesTable {
  process_id: string;
  /** When the process began to accept beats. */
  started_at: number;
  seen_at: number;
  /** The time before which all beats that this process accepted are committed or rejected. */
  accepted_until: number;
}

/**
 * One row with the last time at which any process recorded that it was running. Gaps are computed from it.
 */
export interface MonitoringLivenessTable {
  id: number;
  seen_at: number;
  /** How often recorded times were moved back because the clock was set back. */
  rewind_count: Generated<number>;
}

/** The time spans in which no process accepted beats. */
export interface MonitorGapsTable {
  started_at: number;
  ended_at: number;
  /** 1 while it is unknown whether a process from before the gap is still running. */
  inferred: number;
  /** 1 if the clock was set forward or the machine was suspended. A process was running until then. */
  clock_stepped: number;
}

/** The boards, which are pages that show selected monitors. */
export interface BoardsTable extends z.output<typeof boardFieldsStoredAsIs> {
  id: string;
  org_id: string;
  public: number;
  /** `[{ name, monitors: [id] }]` */
  groups_json: string;
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/**
 * The maintenance windows. A window lasts from a start to an end, or is repeated with `cron`,
 * `timezone` and `duration_ms`.
 */
export interface MaintenanceWindowsTable extends z.output<typeof maintenanceWindowFieldsStoredAsIs> {
  org_id: string;
  id: string;
  starts_at: number | null;
  ends_at: number | null;
  cron: string | null;
  timezone: string | null;
  duration_ms: number | null;
  /**
   * Monitors by id or tag, as JSON. If both lists are empty, the window applies to all monitors of the
   * organization.
   */
  monitors_json: string;
  tags_json: string;
  /** 1 if boards that show an affected monitor announce the window. */
  show_on_boards: number;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

export interface MonitoringTables {
  boards: BoardsTable;
  maintenance_windows: MaintenanceWindowsTable;
  monitors: MonitorsTable;
  monitor_clocks: MonitorStatesTable;
  checks: MonitorChecksTable;
  monitor_periods: MonitorPeriodsTable;
  beat_keys: BeatIdempotencyKeysTable;
  monitor_defaults: MonitorDefaultsTable;
  monitor_leases: MonitorLeasesTable;
  monitor_pulse: MonitoringLivenessTable;
  monitor_gaps: MonitorGapsTable;
}
