import type { OnError } from './failure-reporter.ts';
import type { Fetch } from './runtime.ts';

/** The options of `Floe`. */
export interface FloeOptions {
  /** A platform key (`eis_…`) with the scope `beat` or `monitoring`. */
  readonly apiKey: string;
  /** URL of Floe, which may have a path. Default: `http://127.0.0.1:3563`. */
  readonly baseUrl?: string;
  /** Timeout of one attempt in seconds. Default: 5. */
  readonly timeoutSeconds?: number;
  /**
   * Called for every failed beat of this client. Without it, errors are logged, at most once in ten minutes
   * per cause.
   */
  readonly onError?: OnError;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

/** The options of `monitor` and `wrap`. */
export interface MonitorOptions {
  /** Sent with the beat, in addition to `duration_ms`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /**
   * The secret beat URL of the monitor. With it, the start and a failure of the job are also reported.
   * Without it, only success is reported, because the heartbeat endpoint accepts nothing else. A failed job
   * then sends nothing, and the monitor misses its beat.
   */
  readonly beatUrl?: string;
  readonly onError?: OnError;
}
