import {
  createScheduleOccurrences,
  type MonitorSchedule,
  type ScheduleOccurrences,
} from './monitor-schedule.ts';

/**
 * The statuses of a monitor in the API. `unknown` is not a status, but marks a gap in the history.
 */
export type MonitorStatus = 'waiting' | 'healthy' | 'failing' | 'paused';

/** When a monitor's beats are expected. Durations are in milliseconds. */
export interface MonitorPlan {
  readonly schedule: MonitorSchedule;
  readonly occurrences: ScheduleOccurrences;
  readonly graceMs: number;
  /** When a monitor without any beat is reported. Null means after one interval and its grace period. */
  readonly firstBeatDueMs: number | null;
  /** Number of misses in a row before an alert is sent. */
  readonly alertAfterMisses: number;
  /** Whether a reported failure counts as one miss. Otherwise it sends an alert immediately. */
  readonly failCountsAsMiss: boolean;
}

/**
 * The state that is needed to evaluate a monitor's next beat or deadline. Immutable. Times are in
 * Unix milliseconds.
 */
export interface MonitorState {
  readonly status: MonitorStatus;
  /** The newest beat, which may be a failed one. */
  readonly lastBeatAt: number | null;
  /** The start from which expected times are calculated: the last beat, a resume, or the end of a gap. */
  readonly anchorAt: number;
  /** The next expected beat that was not evaluated yet. Null if none is expected. */
  readonly expectedAt: number | null;
  /** A beat is on time until this time, inclusive. Before the first beat: when its absence is reported. */
  readonly dueAt: number | null;
  readonly failingSince: number | null;
  /** Missed and failed beats since the last successful one. */
  readonly misses: number;
  /** Start of the failure for which an alert was sent, but no recovery yet. */
  readonly alertedSince: number | null;
  /** The deadline before a gap first extended it. Null if no gap has, since the last beat. */
  readonly originalDueAt: number | null;
  /**
   * Milliseconds between the last beats, comma-separated, newest last. Parsed only when a gap needs the
   * median.
   */
  readonly intervals: string;
  readonly pausedUntil: number | null;
  /** Start of the current period. */
  readonly periodStartedAt: number;
  /** Everything before this time has been evaluated. */
  readonly evaluatedUntil: number;
  /** Start of the current run, and its id if the client sent one. */
  readonly runStartedAt: number | null;
  readonly runId: string | null;
}

/** A time span in which no Floe process could accept beats. */
export interface AvailabilityGap {
  readonly startAt: number;
  readonly endAt: number;
  /** No time passed in it, or nothing ran: the clock was set forward, or the machine slept. */
  readonly isClockJump?: boolean;
}

/** The rows that a report or an evaluation adds to a monitor's history. */
export interface MonitorHistoryChanges {
  /** Missed beats, and expected times within a gap. */
  readonly inferredChecks: InferredCheck[];
  /** Started periods. Each ends where the next one starts. */
  readonly periods: StatusPeriod[];
  readonly alertTriggers: MonitorAlertTrigger[];
}

/**
 * The plan and gaps that a monitor's state is evaluated with. The evaluation functions append their
 * results to it.
 */
export interface StateEvaluation extends MonitorHistoryChanges {
  readonly plan: MonitorPlan;
  readonly gaps: readonly AvailabilityGap[];
}

export interface InferredCheck {
  readonly status: 'missed' | 'unknown';
  readonly expectedAt: number;
  /** When the result became certain: the deadline, or the end of the gap. */
  readonly at: number;
  /** Number of expected beats. 1 unless too many were missed at once. */
  readonly missedCount: number;
}

export interface StatusPeriod {
  readonly status: MonitorStatus;
  readonly startedAt: number;
  readonly reason: StatusPeriodReason;
}

export type StatusPeriodReason = 'created' | 'beat' | 'missed' | 'failed' | 'paused' | 'resumed';

/** Why a monitor's failure ended. */
export type MonitorRecoveryCause = 'beat' | 'pause' | 'deleted';

export type MonitorAlertTrigger =
  | {
      readonly event: 'failing';
      readonly at: number;
      readonly since: number;
      readonly reason: StatusPeriodReason;
    }
  | {
      readonly event: 'recovered';
      readonly at: number;
      readonly since: number;
      readonly by: MonitorRecoveryCause;
    }
  | { readonly event: 'never_beaten'; readonly at: number; readonly since: number };

/** Returns an evaluation that has no results yet. */
export function createStateEvaluation(
  plan: MonitorPlan,
  gaps: readonly AvailabilityGap[] = [],
): StateEvaluation {
  return { plan, gaps, inferredChecks: [], periods: [], alertTriggers: [] };
}

/** Returns a plan that includes the expected times of its schedule. */
export function createMonitorPlan(
  schedule: MonitorSchedule,
  rest: Pick<MonitorPlan, 'graceMs' | 'firstBeatDueMs' | 'alertAfterMisses' | 'failCountsAsMiss'>,
): MonitorPlan {
  return { schedule, occurrences: createScheduleOccurrences(schedule), ...rest };
}

/** Returns when the sweep must next evaluate a monitor, in Unix milliseconds. Null means never. */
export function getNextSweepTime(state: MonitorState): number | null {
  return state.status === 'paused' ? state.pausedUntil : state.dueAt;
}
