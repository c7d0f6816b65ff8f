import type { storedMaintenanceWindowFields } from '@floe/contract/api/maintenance';
import type { storedBoardFields, storedMonitorFields } from '@floe/contract/config/monitoring';
import type * as z from 'zod';

/** What a monitor is, as people define it. Its clock stands apart, in `monitor_clocks`. */
export interface MonitorsTable extends z.output<typeof storedMonitorFields> {
  /** What the history belongs to. A monitor that comes back under its id before retention has it again. */
  uid: string;
  org_id: string;
  /** What jobs send as `monitor_id`; unique in the org. */
  id: string;
  /** Either this or `cron` and `timezone`. */
  interval_ms: number | null;
  cron: string | null;
  timezone: string | null;
  /** Null: the org's default. */
  grace_ms: number | null;
  first_beat_due_ms: number | null;
  /** 1: a failure that the job reports is one miss. */
  fail_counts_as_miss: number;
  tags_json: string;
  channels_json: string;
  paused: number;
  paused_until: number | null;
  muted_until: number | null;
  /** What floe.yaml last said of pause and mute, as JSON: as long as it says the same, those set through the API stay. */
  file_state?: string | null | undefined;
  /** Rises when the beat URL is rotated; the token is derived from it, see `deriveBeatToken`. */
  token_version: number;
  /** Set when the monitor was removed: it takes no beats and judges nothing. Retention removes the row with the history. */
  disabled_at: number | null;
  /** `file` when it stands in floe.yaml, else `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/** Where a monitor stands: what every beat reads and writes. Narrow, and with all a beat needs to be judged. */
export interface MonitorClocksTable {
  uid: string;
  org_id: string;
  id: string;
  /** SHA-256 of the token of the beat URL, hex. */
  token_hash: string;
  interval_ms: number | null;
  cron: string | null;
  timezone: string | null;
  /** The grace in force: the monitor's, or the org's default. */
  grace_ms: number;
  first_beat_due_ms: number | null;
  alert_after_misses: number;
  /** 1: a failure that the job reports is one miss. */
  fail_counts_as_miss: number;
  status: string;
  last_beat_at: number | null;
  anchor_at: number;
  expected_at: number | null;
  due_at: number | null;
  failing_since: number | null;
  misses: number;
  alerted_since: number | null;
  /** The deadline before a gap of Floe's own extended it. */
  extended_from: number | null;
  /** Milliseconds between the last 20 beats, comma-separated. */
  intervals: string;
  paused_until: number | null;
  period_at: number;
  settled_at: number;
  run_at: number | null;
  run_id: string | null;
  /**
   * The sweep looks when this has passed; never later than it must, often earlier: beats leave it alone as long
   * as it does no harm, for it is indexed and the rest of the row is not.
   */
  wake_at: number;
}

/** One row per beat, per missed beat and per promise that nobody could judge. */
export interface ChecksTable {
  uid: string;
  /** When it came or became certain: the instant lists are ordered by. */
  at: number;
  id: string;
  /** ok, missed, failed or unknown; started and logged for calls that are no beats. */
  status: string;
  error: string | null;
  expected_at: number | null;
  detected_at: number;
  received_at: number | null;
  duration_ms: number | null;
  metadata_json: string | null;
  /** More than 1 when a catch-up was too long to be written out. */
  missed_count: number;
}

/** Each ends where the next one of its monitor begins. */
export interface MonitorPeriodsTable {
  uid: string;
  started_at: number;
  status: string;
  reason: string;
}

/** Idempotency keys of beats, kept for two days. */
export interface BeatKeysTable {
  uid: string;
  key: string;
  beat_id: string;
  received_at: number;
}

/** The grace of monitors that set none, per org. */
export interface MonitorDefaultsTable {
  org_id: string;
  grace_ms: number;
}

/** Processes that take beats. */
export interface MonitorLeasesTable {
  process_id: string;
  /** Since when it is there. */
  started_at: number;
  seen_at: number;
  /** Every beat this process accepted before it is committed, or was refused. */
  accepted_until: number;
}

/** One row: when any process was last there. */
export interface MonitorPulseTable {
  id: number;
  seen_at: number;
}

/** Spans in which no process was there. */
export interface MonitorGapsTable {
  started_at: number;
  ended_at: number;
  /** 1 while it is not known whether a process that was there before it still is. */
  inferred: number;
  /** 1 when the clock was set ahead, or the machine slept: a process was there all the time it ran. */
  clock_stepped: number;
}

/** A page that shows chosen monitors. */
export interface BoardsTable extends z.output<typeof storedBoardFields> {
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

/** When no messages are sent. Either from start to end, or again and again: `cron`, `timezone`, `duration_ms`. */
export interface MaintenanceWindowsTable extends z.output<typeof storedMaintenanceWindowFields> {
  org_id: string;
  id: string;
  starts_at: number | null;
  ends_at: number | null;
  cron: string | null;
  timezone: string | null;
  duration_ms: number | null;
  /** Monitors by id or by tag; every monitor of the org when both lists are empty. */
  monitors_json: string;
  tags_json: string;
  /** Whether public boards announce it. */
  show_on_boards: number;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

export interface MonitoringSchema {
  boards: BoardsTable;
  maintenance_windows: MaintenanceWindowsTable;
  monitors: MonitorsTable;
  monitor_clocks: MonitorClocksTable;
  checks: ChecksTable;
  monitor_periods: MonitorPeriodsTable;
  beat_keys: BeatKeysTable;
  monitor_defaults: MonitorDefaultsTable;
  monitor_leases: MonitorLeasesTable;
  monitor_pulse: MonitorPulseTable;
  monitor_gaps: MonitorGapsTable;
}
