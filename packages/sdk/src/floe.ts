import {
  type ApiAccount,
  createBeatRequest,
  createSignalRequest,
  type HeartbeatRequest,
  type RunSignal,
} from './beat-request.ts';
import { FloeConfigurationError, FloeConnectionError } from './errors.ts';
import { FailureReporter, type OnError } from './failure-reporter.ts';
import { HeartbeatLoop } from './heartbeat-loop.ts';
import type { HeartbeatHandle, HeartbeatOptions } from './heartbeat-options.ts';
import { describeThrown } from './metadata.ts';
import { type JobOutcome, observeJob } from './observe-job.ts';
import { createRuntime, type Fetch, type Runtime } from './runtime.ts';
import { validateBeatUrl } from './send-signal.ts';
import {
  type HeartbeatResult,
  type SendLimits,
  sendWithRetries,
  toFailedResult,
  toUnexpectedFailure,
} from './send-with-retries.ts';

const RETRY_BUDGET_SECONDS = 20;
/** Beats of watched jobs under way at once; more than this means that nothing gets through. */
const MAX_PENDING_BEATS = 100;
const DEFAULT_INTERVAL_SECONDS = 60;

export interface FloeOptions {
  /** A platform key (`eis_…`) with the scope `beat` or `monitoring`. */
  readonly apiKey: string;
  /** Address of Floe, `http://127.0.0.1:3563` unless given; may carry a path. */
  readonly baseUrl?: string;
  /** How long one attempt may take, in seconds; 5 unless given. */
  readonly timeoutSeconds?: number;
  /** Told of every failed beat of this client; without it a line is logged, at most one per ten minutes and cause. */
  readonly onError?: OnError;
  /** Used instead of the global `fetch`. */
  readonly fetch?: Fetch;
}

export interface MonitorOptions {
  /** Sent with the beat, beside `duration_ms`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The monitor's secret URL. With it start and failure are told as well; without it only success, for the heartbeat
   * endpoint knows nothing else: a job that fails sends nothing, and the monitor misses its beat. */
  readonly beatUrl?: string;
  readonly onError?: OnError;
}

/**
 * Sends heartbeats to Floe. The constructor throws `FloeConfigurationError` when it can never work; after that
 * nothing throws, rejects or waits in the job that is watched.
 *
 * @example
 * const floe = new Floe({ apiKey, baseUrl: 'https://floe.example' });
 * await floe.monitor('nightly-backup', () => backUp());
 * await floe.flush(); // true
 */
export class Floe {
  readonly #account: ApiAccount;
  readonly #runtime: Runtime;
  readonly #reporter: FailureReporter;
  readonly #timeoutSeconds: number;
  readonly #pending = new Set<Promise<unknown>>();

  /** `around` is for tests. */
  constructor(options: FloeOptions, around: Runtime = createRuntime(options?.fetch)) {
    this.#account = { apiKey: requireApiKey(options?.apiKey), baseUrl: requireBaseUrl(options.baseUrl) };
    this.#timeoutSeconds = requireTimeoutSeconds(options.timeoutSeconds);
    this.#runtime = around;
    this.#reporter = new FailureReporter(around, options.onError);
  }

  /**
   * One beat, with up to three retries within 20 seconds. Resolves to what became of it and never rejects.
   *
   * `metadata`: a JSON object of up to 16 KB; what cannot be sent is left out and named in the result.
   *
   * @example
   * const result = await floe.heartbeat('invoices', { rows: 120 });
   * result.ok; // true
   * result.error?.message; // undefined
   */
  heartbeat(monitorId: string, metadata?: unknown): Promise<HeartbeatResult> {
    if (!isMonitorId(monitorId)) return this.#rejectMonitorId(monitorId);
    return this.#deliver(() => createBeatRequest(this.#account, monitorId, metadata, this.#runtime.id()));
  }

  /**
   * Beats from now on, in the background, until the handle is stopped. Never throws.
   *
   * @example
   * const beating = floe.startHeartbeat('queue-worker', { everySeconds: 30 });
   * beating.running; // true
   * await beating.stop({ final: true });
   */
  startHeartbeat(monitorId: string, options: HeartbeatOptions = {}): HeartbeatHandle {
    const everySeconds = options.everySeconds ?? DEFAULT_INTERVAL_SECONDS;
    const usable = typeof everySeconds === 'number' && everySeconds > 0 && Number.isFinite(everySeconds);
    if (!usable) {
      const message = `everySeconds is ${String(everySeconds)}, which is no interval; beating every ${DEFAULT_INTERVAL_SECONDS} s`;
      this.#reporter.reportFailure(String(monitorId), new FloeConfigurationError(message), options.onError);
    }
    const loop = new HeartbeatLoop(monitorId, usable ? everySeconds : DEFAULT_INTERVAL_SECONDS, options, {
      account: this.#account,
      runtime: this.#runtime,
      reporter: this.#reporter,
      timeoutSeconds: this.#timeoutSeconds,
      budgetSeconds: RETRY_BUDGET_SECONDS,
    });
    if (!isMonitorId(monitorId)) {
      void loop.stop();
      void this.#rejectMonitorId(monitorId, options.onError);
    }
    return loop;
  }

  /**
   * Runs `job` under watch and returns what it returns. When it succeeds a beat with its `duration_ms` goes out in the
   * background; `flush()` waits for it.
   *
   * @example
   * floe.monitor('add-up', () => 1 + 2); // 3
   * await floe.monitor('nightly-backup', () => backUp(), { metadata: { host: 'db-1' } });
   */
  monitor<T>(monitorId: string, job: () => T, options: MonitorOptions = {}): T {
    const startedMs = this.#runtime.monotonic();
    const runId = this.#runtime.id();
    const started =
      options.beatUrl === undefined ? null : this.#sendRunSignal('start', monitorId, runId, options);
    return observeJob(job, (ending) => {
      const durationMs = Math.round(this.#runtime.monotonic() - startedMs);
      void this.#reportRunEnd(ending, { monitorId, runId, durationMs, started, options });
    });
  }

  /**
   * `job` as a function that runs under watch each time it is called, with its `this` and arguments.
   *
   * @example
   * const parse = floe.wrap('parse-rows', JSON.parse);
   * parse('[1, 2]'); // [1, 2]
   */
  wrap<A extends unknown[], T>(
    monitorId: string,
    job: (...args: A) => T,
    options: MonitorOptions = {},
  ): (...args: A) => T {
    const floe = this;
    return function wrapped(this: unknown, ...args: A): T {
      return floe.monitor(monitorId, () => job.apply(this, args), options);
    };
  }

  /**
   * Waits for the beats under way; true when all are through. For programs that end by `process.exit`.
   *
   * @example
   * floe.monitor('add-up', () => 1 + 2);
   * await floe.flush({ timeoutSeconds: 10 }); // true
   */
  async flush(options: { readonly timeoutSeconds?: number } = {}): Promise<boolean> {
    const limitMs = (options.timeoutSeconds ?? 5) * 1000;
    return new Promise<boolean>((resolve) => {
      const timer = this.#runtime.after(limitMs, () => resolve(false), true);
      void Promise.all(this.#pending).then(() => {
        timer.cancel();
        resolve(true);
      });
    });
  }

  async #reportRunEnd(ending: JobOutcome, run: ReportedRun): Promise<void> {
    const { monitorId, runId, durationMs, started, options } = run;
    try {
      const metadata = { ...options.metadata, duration_ms: durationMs };
      if (options.beatUrl === undefined) {
        if (!ending.ok) return;
        if (!isMonitorId(monitorId)) return void (await this.#rejectMonitorId(monitorId, options.onError));
        const call = () => createBeatRequest(this.#account, monitorId, metadata, runId);
        return void (await this.#sendInBackground(call, monitorId, options.onError));
      }
      // The name of the error and not its text, which may hold what no monitor should know.
      const failed = ending.ok ? {} : { error: errorNameOf(ending.error) };
      const told = { ...options, metadata: { ...metadata, ...failed } };
      await this.#track(
        Promise.resolve(started).then(() =>
          this.#sendRunSignal(ending.ok ? 'success' : 'fail', monitorId, runId, told),
        ),
      );
    } catch (error) {
      this.#reporter.logLimited(`defect ${monitorId}`, `${monitorId}: ${describeThrown(error)}`);
    }
  }

  #sendRunSignal(
    signal: RunSignal,
    monitorId: string,
    runId: string,
    options: MonitorOptions,
  ): Promise<HeartbeatResult> {
    const { beatUrl = '', metadata } = options;
    const wrong = validateBeatUrl(beatUrl);
    if (wrong) {
      this.#reporter.reportFailure(monitorId, wrong, options.onError);
      return Promise.resolve(toFailedResult(wrong, 0));
    }
    const call = () => createSignalRequest(beatUrl, signal, { monitorId, runId, metadata });
    return this.#sendInBackground(call, monitorId, options.onError);
  }

  #sendInBackground(
    call: () => HeartbeatRequest,
    monitorId: string,
    onError?: OnError,
  ): Promise<HeartbeatResult> {
    if (this.#pending.size < MAX_PENDING_BEATS) return this.#deliver(call, onError);
    const message = `${MAX_PENDING_BEATS} beats are under way already; this one is dropped`;
    const error = new FloeConnectionError(message, { code: 'dropped' });
    this.#reporter.reportFailure(monitorId, error, onError);
    return Promise.resolve(toFailedResult(error, 0));
  }

  #deliver(call: () => HeartbeatRequest, onError?: OnError): Promise<HeartbeatResult> {
    return this.#track(this.#sendAndReport(call, onError));
  }

  async #sendAndReport(makeCall: () => HeartbeatRequest, onError?: OnError): Promise<HeartbeatResult> {
    let result: HeartbeatResult;
    let monitorId = 'monitor';
    try {
      const call = makeCall();
      monitorId = call.monitorId;
      const timeoutSeconds = this.#timeoutSeconds;
      const limits: SendLimits = { timeoutSeconds, budgetSeconds: RETRY_BUDGET_SECONDS, keepsAlive: true };
      result = await sendWithRetries(call, limits, this.#runtime);
    } catch (error) {
      result = toUnexpectedFailure(error);
    }
    if (result.error) this.#reporter.reportFailure(monitorId, result.error, onError);
    if (result.metadataDropped !== null)
      this.#reporter.logLimited(`metadata ${monitorId}`, `${monitorId}: ${result.metadataDropped}`);
    return result;
  }

  async #rejectMonitorId(monitorId: unknown, onError?: OnError): Promise<HeartbeatResult> {
    const shown = typeof monitorId === 'string' ? '""' : typeof monitorId;
    const error = new FloeConfigurationError(`the monitor id is ${shown}; it must be a non-empty string`);
    this.#reporter.reportFailure(shown, error, onError);
    return toFailedResult(error, 0);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const forget = () => this.#pending.delete(work);
    work.then(forget, forget);
    return work;
  }
}

interface ReportedRun {
  readonly monitorId: string;
  readonly runId: string;
  readonly durationMs: number;
  readonly started: Promise<unknown> | null;
  readonly options: MonitorOptions;
}

function isMonitorId(monitorId: unknown): monitorId is string {
  return typeof monitorId === 'string' && monitorId !== '';
}

function errorNameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** A header cannot carry anything else; `fetch` would refuse it later with the key in its message. */
function requireApiKey(apiKey: unknown): string {
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (key === '') throw new FloeConfigurationError('apiKey is missing: new Floe({ apiKey: "eis_…" })');
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new FloeConfigurationError('apiKey holds characters that no key has: spaces, line ends or accents');
  return key;
}

function requireBaseUrl(baseUrl: unknown = 'http://127.0.0.1:3563'): string {
  const text = typeof baseUrl === 'string' ? baseUrl.trim() : '';
  if (!/^https?:\/\/[^/\s?#@]+(\/[^\s?#]*)?$/i.test(text))
    throw new FloeConfigurationError(
      'baseUrl must be an http(s) address such as https://floe.example.com, without user, query or fragment',
    );
  return text.replace(/\/+$/, '');
}

function requireTimeoutSeconds(timeoutSeconds: unknown = 5): number {
  if (typeof timeoutSeconds === 'number' && timeoutSeconds > 0 && Number.isFinite(timeoutSeconds))
    return timeoutSeconds;
  throw new FloeConfigurationError('timeoutSeconds must be a positive number');
}
