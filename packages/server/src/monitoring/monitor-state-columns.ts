import { NEVER_DUE_AT } from '../store/monitoring/monitor-states.ts';
import type { MonitorStateRow } from '../store/monitoring/monitoring-rows.ts';
import type { MonitorSchedule } from './monitor-schedule.ts';
import {
  computeNextSweepAt,
  createMonitorTiming,
  type MonitorState,
  type MonitorStatus,
  type MonitorTiming,
} from './monitor-state.ts';

/** The columns that define a schedule: an interval, or a cron expression with its time zone. */
export interface MonitorScheduleColumns {
  readonly interval_ms: number | null;
  readonly cron: string | null;
  readonly timezone: string | null;
}

/**
 * Converts schedule columns to a schedule.
 * @throws Error if they contain neither an interval nor a cron expression
 */
export function parseMonitorSchedule({
  interval_ms,
  cron,
  timezone,
}: MonitorScheduleColumns): MonitorSchedule {
  if (interval_ms !== null) return { kind: 'interval', intervalMs: interval_ms };
  if (cron === null) throw new Error('a monitor has neither an interval nor a cron expression');
  return { kind: 'cron', cron, timezone: timezone ?? 'UTC' };
}

/** The columns that define when beats are expected. */
export type MonitorTimingColumns = MonitorScheduleColumns &
  Pick<MonitorStateRow, 'grace_ms' | 'first_beat_due_ms' | 'alert_after_misses' | 'fail_counts_as_miss'>;

/** Converts the columns of a monitor's definition to the values that determine when its beats are expected. */
export function parseMonitorTiming(row: MonitorTimingColumns): MonitorTiming {
  return createMonitorTiming(parseMonitorSchedule(row), {
    graceMs: row.grace_ms,
    firstBeatDueMs: row.first_beat_due_ms,
    alertAfterMisses: row.alert_after_misses,
    failCountsAsMiss: row.fail_counts_as_miss === 1,
  });
}

/** Converts a state row to the state that evaluations use. */
export function parseMonitorState(row: MonitorStateRow): MonitorState {
  return {
    status: parseMonitorStatus(row.status),
    lastBeatAt: row.last_beat_at,
    anchorAt: row.anchor_at,
    expectedAt: row.expected_at,
    dueAt: row.due_at,
    failingSince: row.failing_since,
    misses: row.misses,
    alertedSince: row.alerted_since,
    originalDueAt: row.extended_from,
    intervals: row.intervals,
    pausedUntil: row.paused_until,
    periodStartedAt: row.period_at,
    evaluatedUntil: row.settled_at,
    runStartedAt: row.run_at,
    runId: row.run_id,
  };
}

/** Returns the columns that a report or an evaluation can change. */
export function toMonitorStateColumns(state: MonitorState) {
  return {
    status: state.status,
    last_beat_at: state.lastBeatAt,
    anchor_at: state.anchorAt,
    expected_at: state.expectedAt,
    due_at: state.dueAt,
    failing_since: state.failingSince,
    misses: state.misses,
    alerted_since: state.alertedSince,
    extended_from: state.originalDueAt,
    intervals: state.intervals,
    paused_until: state.pausedUntil,
    period_at: state.periodStartedAt,
    settled_at: state.evaluatedUntil,
    run_at: state.runStartedAt,
    run_id: state.runId,
    wake_at: computeNextSweepAt(state) ?? NEVER_DUE_AT,
  };
}

/**
 * Returns a monitor's state row after a beat. Keeps the previous `wake_at` if it is earlier than necessary by
 * less than half of the expected interval. The next sweep then finds nothing due and corrects `wake_at`. Most
 * beats therefore do not change the index.
 */
export function buildStateRowAfterBeat(row: MonitorStateRow, state: MonitorState): MonitorStateRow {
  const moved = { ...row, ...toMonitorStateColumns(state) };
  const window = moved.wake_at - state.evaluatedUntil;
  const harmless = row.wake_at > state.evaluatedUntil && row.wake_at <= moved.wake_at;
  return harmless && moved.wake_at - row.wake_at < window / 2 ? { ...moved, wake_at: row.wake_at } : moved;
}

/**
 * Parses a status from the database.
 * @throws Error for an unknown status
 */
export function parseMonitorStatus(text: string): MonitorStatus {
  if (text === 'waiting' || text === 'healthy' || text === 'failing' || text === 'paused') return text;
  throw new Error(`a monitor has the unknown status "${text}"`);
}
