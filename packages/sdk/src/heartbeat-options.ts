import type { OnError } from './failure-reporter.ts';
import type { HeartbeatResult } from './send-with-retries.ts';

export interface HeartbeatOptions {
  /** Seconds between beats: half or a third of the monitor's expected interval. 60 unless given. */
  readonly everySeconds?: number;
  /** Sent with each beat; a function is asked for each one. When it throws, the beat goes without. */
  readonly metadata?: unknown | (() => unknown);
  /** Asked before each beat; anything but `true` in time keeps the beat back, so that the monitor fails. */
  readonly healthy?: () => boolean | Promise<boolean>;
  /** Keep beats back when `touch()` was not called for this many seconds: the job hangs though its process lives. */
  readonly stallAfterSeconds?: number;
  /** Told of each failed beat and, once, of beats kept back. Without it a line is logged. */
  readonly onError?: OnError;
  /** Beat at once (unless false: after a random part of the interval, so that a fleet spreads out). */
  readonly beatAtStart?: boolean;
  /** Keep the process alive for the loop's sake; false unless given. */
  readonly keepAlive?: boolean;
  /** On SIGTERM: send a last beat, for two seconds at most, then let the signal do what it would have done. */
  readonly stopOnSigterm?: boolean;
}

/** The running loop. Nothing in it throws or rejects. */
export interface HeartbeatHandle {
  readonly monitorId: string;
  readonly running: boolean;
  /** Of the newest beat that was tried; null before the first. */
  readonly lastResult: HeartbeatResult | null;
  /**
   * The job made progress. Costs one reading of the clock.
   *
   * @example
   * const beating = floe.startHeartbeat('queue-worker', { stallAfterSeconds: 300 });
   * beating.touch();
   * await beating.stop(); // undefined
   */
  touch(): void;
  /**
   * Ends the loop and whatever it is sending. With `final` one last beat goes out, its metadata marked
   * `"stopped": true`, within two seconds. Calling it again waits for the same end.
   *
   * @example
   * const beating = floe.startHeartbeat('queue-worker');
   * await beating.stop({ final: true });
   * beating.running; // false
   */
  stop(options?: { readonly final?: boolean }): Promise<void>;
}
