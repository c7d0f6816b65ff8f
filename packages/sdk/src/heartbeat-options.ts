import type { OnError } from './failure-reporter.ts';
import type { HeartbeatResult } from './send-with-retries.ts';

/** The options of a heartbeat loop. */
export interface HeartbeatOptions {
  /** Seconds between beats: a half or a third of the monitor's interval. Default: 60. */
  readonly everySeconds?: number;
  /**
   * Sent with each beat. If it is a function, it is called for each beat. If the function throws, the beat
   * has no metadata.
   */
  readonly metadata?: unknown | (() => unknown);
  /**
   * Called before each beat. If it does not return `true` within the time limit, no beat is sent, so that the
   * monitor fails.
   */
  readonly healthy?: () => boolean | Promise<boolean>;
  /** If `touch()` is not called for this many seconds, the job hangs, and no beats are sent. */
  readonly stallAfterSeconds?: number;
  /**
   * Called for each failed beat, and once when the loop stops sending beats because of `healthy` or
   * `stallAfterSeconds`. Without it, errors are logged.
   */
  readonly onError?: OnError;
  /**
   * Whether the first beat is sent immediately. Default: true. If false, it is sent after a random part of
   * the interval, so that beats of many processes spread out.
   */
  readonly beatAtStart?: boolean;
  /** Whether the loop keeps the process alive. Default: false. */
  readonly keepAlive?: boolean;
  /**
   * Whether the loop sends a last beat on SIGTERM, within two seconds, before the signal takes effect.
   * Default: false.
   */
  readonly stopOnSigterm?: boolean;
}

/** Controls a heartbeat loop in progress. Its methods neither throw nor reject. */
export interface HeartbeatHandle {
  readonly monitorId: string;
  readonly running: boolean;
  /** The result of the last beat, or null before the first beat. */
  readonly lastResult: HeartbeatResult | null;
  /**
   * Reports that the job makes progress. It only reads the clock, so it can be called often.
   *
   * @example
   * const beating = floe.startHeartbeat('queue-worker', { stallAfterSeconds: 300 });
   * beating.touch();
   * await beating.stop(); // undefined
   */
  touch(): void;
  /**
   * Ends the loop and cancels the current beat. With `final`, it sends a last beat within two seconds, with
   * `"stopped": true` in its metadata, unless the loop withholds beats because of `healthy` or `stallAfterSeconds`.
   * If it is called again, it waits until the loop has ended.
   *
   * @example
   * const beating = floe.startHeartbeat('queue-worker');
   * await beating.stop({ final: true });
   * beating.running; // false
   */
  stop(options?: { readonly final?: boolean }): Promise<void>;
}
