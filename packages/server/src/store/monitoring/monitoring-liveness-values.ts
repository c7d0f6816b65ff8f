/** What a process reports when it records that it is still running. */
export interface MonitoringLivenessReport {
  readonly processId: string;
  /**
   * Reads the wall clock of the process, in Unix milliseconds. PostgreSQL uses the clock of its server instead.
   */
  readonly readWallMs: () => number;
  /**
   * Returns the process's estimate of the database time from its monotonic clock. Null at its first pulse.
   */
  readonly estimateNowMs: () => number | null;
  /**
   * The time before which all beats that the process accepted are committed or rejected. Null if it has
   * accepted none.
   */
  readonly acceptedUntilMs: number | null;
  /**
   * Returns the longest time without a pulse of any process that is not a gap, in milliseconds. Called at most once,
   * after the clock was read.
   */
  readonly gapThresholdMs: () => number;
  /** A process that has not sent a pulse for this long has ended. */
  readonly leaseTimeoutMs: number;
  /**
   * `arriving`: the process accepts no beats yet. `leaving`: it accepts no more beats and releases its lease.
   */
  readonly presence: 'arriving' | 'present' | 'leaving';
  /** When the process began to accept beats. Null until a pulse has recorded this time. */
  readonly startedAt: number | null;
  /** The process already knows the gaps that ended before this time. */
  readonly gapsUntilMs: number;
}

/** The times and gaps that the database returns to a process that records that it is still running. */
export interface MonitoringLivenessResult {
  /** The time of the database, in Unix milliseconds. */
  readonly nowMs: number;
  /** The time before which all processes have committed the beats that they accepted. */
  readonly committedUntil: number;
  /**
   * The time before which all other processes have committed the beats that they accepted. Infinity if there
   * are none.
   */
  readonly peersCommittedUntil: number;
  /** The gaps that the process does not know yet, in order. After the clock was set back, all gaps. */
  readonly gaps: readonly MonitoringGap[];
  /** How far the database clock jumped relative to the monotonic clock. Positive if it was set forward. */
  readonly clockJumpMs: number;
  /** How far recorded times are in the future, after the clock was set back. Otherwise 0. */
  readonly futureMs: number;
  /** How often recorded times were moved back because the clock was set back. */
  readonly rewindCount: number;
}

/** A time span in which no Floe process could accept beats. */
export interface MonitoringGap {
  readonly startAt: number;
  readonly endAt: number;
  /**
   * Whether the gap is a jump of the clock, because it was set forward or the machine was suspended. A process
   * was running until the jump.
   */
  readonly isClockJump?: boolean;
}
