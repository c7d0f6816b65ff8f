import { createOccurrences, type Occurrences, type Schedule } from './schedule.ts';

/** States of a monitor as the API names them. `unknown` is no state: it is a span nobody could see. */
export type MonitorStatus = 'waiting' | 'healthy' | 'failing' | 'paused';

/** What a monitor promises, as the clock judges it. Durations in milliseconds. */
export interface MonitorPlan {
  readonly schedule: Schedule;
  readonly occurrences: Occurrences;
  readonly graceMs: number;
  /** When a monitor that never beat is reported; null: after one promise and its grace. */
  readonly firstBeatDueMs: number | null;
  /** Misses in a row before anybody is told. */
  readonly alertAfterMisses: number;
  /** Whether a failure that the job reports is one miss; otherwise it is reported at once. */
  readonly failCountsAsMiss: boolean;
}

/** Where a monitor stands: all that the next event needs to know. Immutable; instants in milliseconds. */
export interface MonitorClock {
  readonly status: MonitorStatus;
  /** Newest beat, a failed one included. */
  readonly lastBeatAt: number | null;
  /** What promises are counted from: the last beat, a resume, the end of a gap. */
  readonly anchorAt: number;
  /** The next promise that was not judged yet; null while nothing is promised. */
  readonly expectedAt: number | null;
  /** A beat is on time when received at or before it. For a monitor that never beat: when that is reported. */
  readonly dueAt: number | null;
  readonly failingSince: number | null;
  /** Missed and failed beats since the last good one. */
  readonly misses: number;
  /** Start of the failing that was told and not yet told to be over. */
  readonly alertedSince: number | null;
  /** The deadline as it was before a gap of ours first extended it; null while none did since the last beat. */
  readonly originalDueAt: number | null;
  /** Milliseconds between the last beats, comma-separated, newest last; read only when a gap needs their median. */
  readonly intervals: string;
  readonly pausedUntil: number | null;
  /** Start of the period that is open. */
  readonly periodStartedAt: number;
  /** Everything up to here is accounted for. */
  readonly evaluatedUntil: number;
  /** Start of the run under way, and its id where the client gave one. */
  readonly runStartedAt: number | null;
  readonly runId: string | null;
}

/** A span in which no process of ours was there to take beats. */
export interface Gap {
  readonly startAt: number;
  readonly endAt: number;
  /** No time passed in it, or none in which anything ran: the clock was set ahead, or the machine slept. */
  readonly isClockJump?: boolean;
}

/** What an event adds to the history. */
export interface HistoryChanges {
  /** Missed beats, and promises that fell into a gap of ours. */
  readonly inferredChecks: InferredCheck[];
  /** Periods that began; each ends where the next begins. */
  readonly periods: StatusPeriod[];
  readonly alertTriggers: AlertTrigger[];
}

/** One clock is judged by its plan and our gaps; what happened to it is added to the outcome. */
export interface Evaluation extends HistoryChanges {
  readonly plan: MonitorPlan;
  readonly gaps: readonly Gap[];
}

export interface InferredCheck {
  readonly status: 'missed' | 'unknown';
  readonly expectedAt: number;
  /** When it became certain: the deadline, or the end of the gap. */
  readonly at: number;
  /** How many promises it stands for: 1, unless a catch-up was too long to be written out. */
  readonly missedCount: number;
}

export interface StatusPeriod {
  readonly status: MonitorStatus;
  readonly startedAt: number;
  readonly reason: StatusPeriodReason;
}

export type StatusPeriodReason = 'created' | 'beat' | 'missed' | 'failed' | 'paused' | 'resumed';

/** Why a failing is over. */
export type RecoveryCause = 'beat' | 'pause' | 'deleted';

export type AlertTrigger =
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
      readonly by: RecoveryCause;
    }
  | { readonly event: 'never_beaten'; readonly at: number; readonly since: number };

/** An evaluation that has found nothing yet. */
export function createEvaluation(plan: MonitorPlan, gaps: readonly Gap[] = []): Evaluation {
  return { plan, gaps, inferredChecks: [], periods: [], alertTriggers: [] };
}

export function createMonitorPlan(
  schedule: Schedule,
  rest: Pick<MonitorPlan, 'graceMs' | 'firstBeatDueMs' | 'alertAfterMisses' | 'failCountsAsMiss'>,
): MonitorPlan {
  return { schedule, occurrences: createOccurrences(schedule), ...rest };
}

/** When the sweep has to look at a clock; null: never. */
export function getNextSweepTime(clock: MonitorClock): number | null {
  return clock.status === 'paused' ? clock.pausedUntil : clock.dueAt;
}
