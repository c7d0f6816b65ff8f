import type { Log } from '../core/log.ts';
import type { MonitoringLivenessResult } from '../store/monitoring/monitoring-liveness-values.ts';
import { type FailedEvaluation, logFailedEvaluations } from './sweep.ts';

const CLOCK_SET_AHEAD =
  'database clock was set forward, or this machine was suspended; monitoring records the skipped time as a gap';
const CLOCK_SET_BACK =
  'database clock was set back; times of monitors and alerts that are later than the new time were moved back accordingly';

/** Logs that a pulse detected a change of the clock. */
export function logClockChange(
  log: Log,
  { clockJumpMs, futureMs }: Pick<MonitoringLivenessResult, 'clockJumpMs' | 'futureMs'>,
): void {
  if (clockJumpMs === 0) return;
  const fields = { stepped_seconds: clockJumpMs / 1_000, recorded_ahead_seconds: futureMs / 1_000 };
  log.warn(fields, clockJumpMs > 0 ? CLOCK_SET_AHEAD : CLOCK_SET_BACK);
}

/** Logs the monitors whose times could not be moved back. */
export function logFailedRewinds(log: Log, failures: readonly FailedEvaluation[]): void {
  logFailedEvaluations(log, failures, 'its times were not moved back after the clock was set back');
}
