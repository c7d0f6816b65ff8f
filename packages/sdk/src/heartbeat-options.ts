import type { OnError } from './failure-reporter.ts';
import type { HeartbeatResult } from './send-with-retries.ts';

/** The options of a heartbeat loop. */
export interface HeartbeatOptions {
  /** Seconds between beats: a half or a third of the monitor's interval. Default: 60. */
  readonly everySeconds?: number;
  /** Sent with each beat. A function is called for each one. If it throws, the beat has no metadata. */
  readonly metadata?: unknown | (() => unknown);
  /**
   * Called before each beat. If the result in time is not `true`, no beat is sent, so that the monitor fails.
   */
  readonly healthy?: () => boolean | Promise<boolean>;
  /** Send no beats if `touch()` was not called for this many seconds, which means that the job hangs. */
  readonly stallAfterSeconds?: number;
  /** Called for each failed beat, and once when beats are withheld. Absent: errors are logged. */
  readonly onError?: OnError;
  /**
   * Send the first beat immediately (default). If false, it is sent after a random part of the interval, so
   * that beats of many processes spread out.
   */
  readonly beatAtStart?: boolean;
  /** Whether the loop keeps the process alive. Default: false. */
  readonly keepAlive?: boolean;
  /** On SIGTERM, send a last beat within two seconds, and then let the signal take its effect. */
  readonly stopOnSigterm?: boolean;
}

/** Controls a heartbeat loop in progress. Its methods neither throw nor reject. */
export interface HeartbeatHandle {
  readonly monitorId: string;
  readonly running: boolean;
  /** Result of the last beat. Null before the first. */
  readonly lastResult: HeartbeatResult | null;
  /**
   * Reports progress of the job. Costs one reading of the clock.
   *
   * @example
   * const beating = floe.startHeartbeat('queue-worker', { stallAfterSeconds: 300 });
   * beating.touch();
   * await beating.stop(); // undefined
   */
  touch(): void;
  /**
   * Ends the loop and cancels the current beat. With `final`, it sends a last beat within two seconds, with
   * `"stopped": true` in its metadata. A repeated call waits for the same end.
   *
   * @example
   * const beating = floe.startHeartbeat('queue-worker');
   * await beating.stop({ final: true });
   * beating.running; // false
   */
  stop(options?: { readonly final?: boolean }): Promise<void>;
}
