// A separate file, so that the threads of SQLite do not load a query builder.
import type {
  BeatIdempotencyKeysTable,
  MonitorChecksTable,
  MonitorStatesTable,
} from './monitoring-tables.ts';

/**
 * The columns of monitor states that beats and evaluations change. The other columns change with the
 * definition of the monitor.
 */
export const MONITOR_STATE_EVALUATION_COLUMNS = [
  'status',
  'last_beat_at',
  'anchor_at',
  'expected_at',
  'due_at',
  'failing_since',
  'misses',
  'alerted_since',
  'extended_from',
  'intervals',
  'paused_until',
  'period_at',
  'settled_at',
  'run_at',
  'run_id',
  'wake_at',
] as const satisfies readonly (keyof MonitorStatesTable)[];

/**
 * The columns of monitor states that are copied from the definition and affect the evaluation. A rotated beat
 * URL also counts as a difference.
 */
export const MONITOR_STATE_DEFINITION_COLUMNS = [
  'token_hash',
  'interval_ms',
  'cron',
  'timezone',
  'grace_ms',
  'first_beat_due_ms',
  'alert_after_misses',
  'fail_counts_as_miss',
] as const satisfies readonly (keyof MonitorStatesTable)[];

/** All columns of checks, in the order in which statements use them. */
export const MONITOR_CHECK_COLUMNS = [
  'uid',
  'at',
  'id',
  'status',
  'error',
  'expected_at',
  'detected_at',
  'received_at',
  'duration_ms',
  'metadata_json',
  'missed_count',
] as const satisfies readonly (keyof MonitorChecksTable)[];

/** All columns of idempotency keys, in the order in which statements use them. */
export const BEAT_IDEMPOTENCY_KEY_COLUMNS = [
  'uid',
  'key',
  'beat_id',
  'received_at',
] as const satisfies readonly (keyof BeatIdempotencyKeysTable)[];
