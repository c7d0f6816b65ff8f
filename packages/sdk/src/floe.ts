import { BeatLoop } from './beat-loop.ts';
import {
  type ApiConnectionSettings,
  type BeatRequest,
  createBeatRequest,
  createRunEventRequest,
  type RunEvent,
} from './beat-request.ts';
import { checkHeartbeatOptions, checkMonitorOptions, describeUnknownFloeOptions } from './check-options.ts';
import { FloeConnectionError, FloeInvalidArgumentError } from './errors.ts';
import { FailureReporter, type OnError } from './failure-reporter.ts';
import type { FloeOptions, MonitorOptions } from './floe-options.ts';
import type { HeartbeatHandle, HeartbeatOptions } from './heartbeat-options.ts';
import { addToMetadata, describeThrownValue } from './metadata.ts';
import { type JobOutcome, runObservedJob } from './run-observed-job.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { validateBeatUrl } from './send-run-event.ts';
import {
  type HeartbeatResult,
  type SendTimeLimits,
  sendWithRetries,
  toFailedHeartbeatResult,
  toUnexpectedErrorResult,
} from './send-with-retries.ts';
import { parseBaseUrl, requireApiKey, requireTimeoutSeconds } from './validate-options.ts';

const RETRY_BUDGET_SECONDS = 20;
/**
 * Maximum number of background beats of jobs that are being sent. If there are more, the server is
 * unreachable.
 */
const MAX_PENDING_BEATS = 100;

/**
 * Sends heartbeats to Floe. The constructor throws `FloeInvalidArgumentError` if the options are invalid. After
 * that, no method throws, rejects or delays the monitored job.
 *
 * @example
 * const floe = new Floe({ apiKey, baseUrl: 'https://floe.example' });
 * await floe.monitor('nightly-backup', () => backUp());
 * await floe.flush(); // true
 */
export class Floe {
  readonly #account: ApiConnectionSettings;
  readonly #runtime: Runtime;
  readonly #reporter: FailureReporter;
  readonly #timeoutSeconds: number;
  readonly #pending = new Set<Promise<unknown>>();

  /** `runtime` is for tests. @throws FloeInvalidArgumentError if the options are invalid */
  constructor(options: FloeOptions, runtime: Runtime = createRuntime(options?.fetch)) {
    this.#account = { apiKey: requireApiKey(options?.apiKey), baseUrl: parseBaseUrl(options.baseUrl) };
    this.#timeoutSeconds = requireTimeoutSeconds(options.timeoutSeconds);
    this.#runtime = runtime;
    this.#reporter = new FailureReporter(runtime, options.onError);
    this.#reportProblems('options', describeUnknownFloeOptions(options));
  }

  /**
   * Sends one beat, with up to three retries within 20 seconds. Resolves to the result and never rejects.
   * `metadata` is a JSON object of up to 16 KB. Parts that cannot be sent are omitted and named in the
   * result.
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
   * Sends beats in the background until the handle is stopped. Never throws.
   *
   * @example
   * const beating = floe.startHeartbeat('queue-worker', { everySeconds: 30 });
   * beating.running; // true
   * await beating.stop({ final: true });
   */
  startHeartbeat(monitorId: string, options: HeartbeatOptions = {}): HeartbeatHandle {
    const { options: valid, problems } = checkHeartbeatOptions(options);
    this.#reportProblems(monitorId, problems, valid.onError);
    const loop = new BeatLoop(monitorId, valid, {
      account: this.#account,
      runtime: this.#runtime,
      reporter: this.#reporter,
      timeoutSeconds: this.#timeoutSeconds,
      budgetSeconds: RETRY_BUDGET_SECONDS,
    });
    if (!isMonitorId(monitorId)) {
      void loop.stop();
      void this.#rejectMonitorId(monitorId, valid.onError);
    }
    return loop;
  }

  /**
   * Runs `job` and returns its result. If it succeeds, a beat with its `duration_ms` is sent in the
   * background. `flush()` waits for it.
   *
   * @example
   * floe.monitor('add-up', () => 1 + 2); // 3
   * await floe.monitor('nightly-backup', () => backUp(), { metadata: { host: 'db-1' } });
   */
  monitor<T>(monitorId: string, job: () => T, given: MonitorOptions = {}): T {
    const { options, problems } = checkMonitorOptions(given);
    this.#reportProblems(monitorId, problems, options.onError);
    const startedMs = this.#runtime.monotonic();
    const runId = this.#runtime.id();
    const stopRetries = new AbortController();
    const run = { monitorId, runId, options };
    const started =
      options.beatUrl === undefined
        ? null
        : this.#sendRunSignal('start', run, {
            stopRetries: stopRetries.signal,
            // The end of the run waits for the start and shares its time limit.
            timeoutSeconds: Math.min(this.#timeoutSeconds, RETRY_BUDGET_SECONDS / 2),
          });
    return runObservedJob(job, (ending) => {
      const durationMs = Math.round(this.#runtime.monotonic() - startedMs);
      // The process must not wait for the retries of both requests when it ends.
      stopRetries.abort();
      void this.#reportRunEnd(ending, { ...run, durationMs, started });
    });
  }

  /**
   * Returns a function that runs `job` with its `this` and arguments, and sends a beat for each successful
   * call.
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
   * Waits until all beats that are being sent are delivered or failed. Resolves to false if the timeout
   * passes first. Call it before `process.exit`.
   *
   * @example
   * floe.monitor('add-up', () => 1 + 2);
   * await floe.flush({ timeoutSeconds: 10 }); // true
   */
  async flush(options: { readonly timeoutSeconds?: number } = {}): Promise<boolean> {
    const limitMs = (options?.timeoutSeconds ?? 5) * 1000;
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
      if (options.beatUrl === undefined && !ending.ok) return;
      // The name of the error and not its message, which may contain confidential data.
      const failed = ending.ok ? {} : { error: errorNameOf(ending.error) };
      const measured = { duration_ms: durationMs, ...failed };
      const { value: metadata, problem } = addToMetadata(options.metadata, measured);
      if (problem !== null) this.#reporter.logLimited(`metadata ${monitorId}`, `${monitorId}: ${problem}`);
      if (options.beatUrl === undefined) {
        if (!isMonitorId(monitorId)) return void (await this.#rejectMonitorId(monitorId, options.onError));
        const call = () => createBeatRequest(this.#account, monitorId, metadata, runId);
        return void (await this.#sendInBackground(call, monitorId, options.onError));
      }
      const ended = { monitorId, runId, options: { ...options, metadata } };
      const endedMs = this.#runtime.monotonic();
      await this.#track(
        Promise.resolve(started).then(() => {
          const waitedSeconds = (this.#runtime.monotonic() - endedMs) / 1000;
          const budgetSeconds = RETRY_BUDGET_SECONDS - waitedSeconds;
          return this.#sendRunSignal(ending.ok ? 'success' : 'fail', ended, { budgetSeconds });
        }),
      );
    } catch (error) {
      this.#reporter.logLimited(`defect ${monitorId}`, `${monitorId}: ${describeThrownValue(error)}`);
    }
  }

  #sendRunSignal(
    signal: RunEvent,
    { monitorId, runId, options }: ObservedRun,
    limits: Partial<SendTimeLimits>,
  ): Promise<HeartbeatResult> {
    const { beatUrl = '', metadata } = options;
    const wrong = validateBeatUrl(beatUrl);
    if (wrong) {
      this.#reporter.reportFailure(monitorId, wrong, options.onError);
      return Promise.resolve(toFailedHeartbeatResult(wrong, 0));
    }
    const call = () => createRunEventRequest(beatUrl, signal, { monitorId, runId, metadata });
    return this.#sendInBackground(call, monitorId, options.onError, limits);
  }

  #sendInBackground(
    call: () => BeatRequest,
    monitorId: string,
    onError?: OnError,
    limits?: Partial<SendTimeLimits>,
  ): Promise<HeartbeatResult> {
    if (this.#pending.size < MAX_PENDING_BEATS) return this.#deliver(call, onError, limits);
    const message = `${MAX_PENDING_BEATS} beats are still being sent, so this beat was dropped. Check that Floe is reachable.`;
    const error = new FloeConnectionError(message, { code: 'dropped' });
    this.#reporter.reportFailure(monitorId, error, onError);
    return Promise.resolve(toFailedHeartbeatResult(error, 0));
  }

  #deliver(
    call: () => BeatRequest,
    onError?: OnError,
    limits: Partial<SendTimeLimits> = {},
  ): Promise<HeartbeatResult> {
    return this.#track(this.#sendAndReport(call, onError, limits));
  }

  async #sendAndReport(
    makeCall: () => BeatRequest,
    onError: OnError | undefined,
    given: Partial<SendTimeLimits>,
  ): Promise<HeartbeatResult> {
    let result: HeartbeatResult;
    let monitorId = 'monitor';
    try {
      const call = makeCall();
      monitorId = call.monitorId;
      const timeoutSeconds = this.#timeoutSeconds;
      const limits: SendTimeLimits = {
        timeoutSeconds,
        budgetSeconds: RETRY_BUDGET_SECONDS,
        keepsAlive: true,
        ...given,
      };
      result = await sendWithRetries(call, limits, this.#runtime);
    } catch (error) {
      result = toUnexpectedErrorResult(error);
    }
    if (result.error) this.#reporter.reportFailure(monitorId, result.error, onError);
    if (result.metadataDropped !== null)
      this.#reporter.logLimited(`metadata ${monitorId}`, `${monitorId}: ${result.metadataDropped}`);
    return result;
  }

  /** Reports all problems as one error, because only the first error of a kind is logged. */
  #reportProblems(monitorId: unknown, problems: readonly string[], onError?: OnError): void {
    if (problems.length === 0) return;
    const error = new FloeInvalidArgumentError(problems.join('; '));
    this.#reporter.reportFailure(isMonitorId(monitorId) ? monitorId : typeof monitorId, error, onError);
  }

  async #rejectMonitorId(monitorId: unknown, onError?: OnError): Promise<HeartbeatResult> {
    const shown = typeof monitorId === 'string' ? '""' : typeof monitorId;
    const error = new FloeInvalidArgumentError(`the monitor id must be a non-empty string, got ${shown}`);
    this.#reporter.reportFailure(shown, error, onError);
    return toFailedHeartbeatResult(error, 0);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const forget = () => this.#pending.delete(work);
    work.then(forget, forget);
    return work;
  }
}

interface ObservedRun {
  readonly monitorId: string;
  readonly runId: string;
  readonly options: MonitorOptions;
}

interface ReportedRun extends ObservedRun {
  readonly durationMs: number;
  readonly started: Promise<unknown> | null;
}

function isMonitorId(monitorId: unknown): monitorId is string {
  return typeof monitorId === 'string' && monitorId !== '';
}

function errorNameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
