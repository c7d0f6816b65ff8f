import type { MonitoringGap } from '../store/monitoring/monitoring-liveness-values.ts';
import {
  createScheduleOccurrences,
  type MonitorSchedule,
  type ScheduleOccurrences,
} from './monitor-schedule.ts';

/**
 * The status of a monitor. The API returns these values. In the history, a gap has the status `unknown`, which
 * a monitor itself never has.
 */
export type MonitorStatus = 'waiting' | 'healthy' | 'failing' | 'paused';

/** When a monitor's beats are expected. Durations are in milliseconds. */
export interface MonitorTiming {
  readonly schedule: MonitorSchedule;
  readonly occurrences: ScheduleOccurrences;
  readonly graceMs: number;
  /**
   * How long a monitor without any beat may wait for its first one. Null for one interval and its grace
   * period.
   */
  readonly firstBeatDueMs: number | null;
  /** Number of consecutive misses before an alert is sent. */
  readonly alertAfterMisses: number;
  /** Whether a reported failure counts as one miss. If not, it sends an alert immediately. */
  readonly failCountsAsMiss: boolean;
}

/**
 * The state that is needed to evaluate a monitor's next beat or deadline. It is immutable. Times are in Unix
 * milliseconds.
 */
export interface MonitorState {
  readonly status: MonitorStatus;
  /**
   * The time at which the newest beat arrived. The beat may have reported a failure. Null if there was none.
   */
  readonly lastBeatAt: number | null;
  /**
   * The time from which expected times and the deadline of the first beat are calculated: the last beat, the creation,
   * the end of a pause, or the end of a gap.
   */
  readonly anchorAt: number;
  /** The next expected beat that has not been evaluated. Null if none is expected. */
  readonly expectedAt: number | null;
  /**
   * The deadline of the next or the first beat. A beat that arrives exactly at this time is on time. Null if
   * there is no deadline.
   */
  readonly dueAt: number | null;
  readonly failingSince: number | null;
  /** Number of missed and failed beats since the last successful one. */
  readonly misses: number;
  /** Start of the failure whose alert was sent, if no recovery alert has been sent yet. */
  readonly alertedSince: number | null;
  /** The deadline before a gap first extended it. Null if no gap has extended it since the last beat. */
  readonly originalDueAt: number | null;
  /**
   * Milliseconds between the last beats, comma-separated, newest last. It is parsed only when a gap requires
   * the median.
   */
  readonly intervals: string;
  readonly pausedUntil: number | null;
  /** Start of the current period. */
  readonly periodStartedAt: number;
  /** The time before which everything has been evaluated. */
  readonly evaluatedUntil: number;
  /** Start of the run in progress, and its id if the client sent one. */
  readonly runStartedAt: number | null;
  readonly runId: string | null;
}

/** The rows that a beat or an evaluation adds to a monitor's history, and the alerts that it causes. */
export interface MonitorHistoryChanges {
  /** The missed beats, and the expected beats within a gap. */
  readonly inferredChecks: InferredCheck[];
  /** The periods that start. Each ends when the next one starts. */
  readonly periods: StatusPeriod[];
  readonly alertTriggers: MonitorAlertTrigger[];
}

/**
 * The timing and the gaps that are needed to evaluate a monitor's state. Evaluation functions append the
 * resulting history and alerts to it.
 */
export interface MonitorStateEvaluation extends MonitorHistoryChanges {
  readonly plan: MonitorTiming;
  readonly gaps: readonly MonitoringGap[];
}

/** A check without a beat: a missed beat, or an expected beat in a gap. */
export interface InferredCheck {
  readonly status: 'missed' | 'unknown';
  readonly expectedAt: number;
  /** When the result was certain: the deadline, or the end of the gap. */
  readonly at: number;
  /** Number of expected beats that this row represents. More than 1 only if many beats were missed at once. */
  readonly missedCount: number;
}

/** A period in which a monitor has one status. */
export interface StatusPeriod {
  readonly status: MonitorStatus;
  readonly startedAt: number;
  readonly reason: StatusPeriodReason;
}

/** Why a period started. */
export type StatusPeriodReason = 'created' | 'beat' | 'missed' | 'failed' | 'paused' | 'resumed';

/** Why a monitor's failure ended. */
export type MonitorRecoveryReason = 'beat' | 'pause' | 'deleted';

/** A change in a monitor's status that causes an alert. */
export type MonitorAlertTrigger =
  | {
      readonly event: 'failing';
      readonly at: number;
      readonly since: number;
      readonly reason: StatusPeriodReason;
      /**
       * The time of the last beat until `at`, which may be the beat that reports the failure. Null if there was none.
       */
      readonly lastBeatAt: number | null;
    }
  | {
      readonly event: 'recovered';
      readonly at: number;
      readonly since: number;
      readonly by: MonitorRecoveryReason;
    }
  | { readonly event: 'never_beaten'; readonly at: number; readonly since: number };

/** Creates an evaluation without results. */
export function createMonitorStateEvaluation(
  plan: MonitorTiming,
  gaps: readonly MonitoringGap[] = [],
): MonitorStateEvaluation {
  return { plan, gaps, inferredChecks: [], periods: [], alertTriggers: [] };
}

/**
 * Creates a monitor’s timing from its schedule and its other settings. Derives `occurrences` from the
 * schedule.
 */
export function createMonitorTiming(
  schedule: MonitorSchedule,
  rest: Pick<MonitorTiming, 'graceMs' | 'firstBeatDueMs' | 'alertAfterMisses' | 'failCountsAsMiss'>,
): MonitorTiming {
  return { schedule, occurrences: createScheduleOccurrences(schedule), ...rest };
}

/**
 * Returns when the sweep must next evaluate a monitor, in Unix milliseconds. Returns null if it need not
 * evaluate the monitor again.
 */
export function computeNextSweepAt(state: MonitorState): number | null {
  return state.status === 'paused' ? state.pausedUntil : state.dueAt;
}
