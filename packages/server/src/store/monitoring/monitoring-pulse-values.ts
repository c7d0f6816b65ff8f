/** What a process reports when it records that it is still running. */
export interface MonitoringPulseInput {
  readonly processId: string;
  /** Wall clock of the process. PostgreSQL uses its own clock instead. */
  readonly wallMs: number;
  /** The process's estimate of the database time from its monotonic clock. Null at its first pulse. */
  readonly estimateNowMs: () => number | null;
  /**
   * All beats that the process accepted before this time are committed or rejected. Null if it has accepted
   * none.
   */
  readonly acceptedUntilMs: number | null;
  /** A longer time without a pulse of any process is a gap. */
  readonly gapThresholdMs: number;
  /** A process without a pulse for this long has ended. */
  readonly leaseTimeoutMs: number;
  /** `arriving`: accepts no beats yet. `leaving`: accepts no more beats and releases its lease. */
  readonly presence: 'arriving' | 'present' | 'leaving';
  /** Since when the process accepts beats. Null for the first pulse that reports it. */
  readonly startedAt: number | null;
  /** Gaps that ended before this time are already known to the process. */
  readonly gapsUntilMs: number;
}

/** What a process learns from the database when it records that it is still running. */
export interface MonitoringPulseResult {
  /** Database time. */
  readonly nowMs: number;
  /** All processes have committed the beats that they accepted before this time. */
  readonly committedUntil: number;
  /** The same for the other processes only. Infinity if there are none. */
  readonly peersCommittedUntil: number;
  /** New gaps, in order. All gaps after the clock was set back. */
  readonly gaps: readonly MonitoringGap[];
  /** Jump of the database clock relative to the monotonic clock. Positive if it was set forward. */
  readonly clockJumpMs: number;
  /** After the clock was set back: by how much recorded times are in the future. Otherwise 0. */
  readonly futureMs: number;
}

/** A time span in which no process accepted beats. */
export interface MonitoringGap {
  readonly startAt: number;
  readonly endAt: number;
  /** The clock was set forward, or the machine slept. */
  readonly isClockJump?: boolean;
}
