import { type Account, beatCall, type Call, type Signal, signalCall } from './call.ts';
import { FloeConfigurationError, FloeConnectionError } from './errors.ts';
import { HeartbeatLoop } from './loop.ts';
import type { HeartbeatHandle, LoopOptions } from './loop-options.ts';
import { messageOf } from './metadata.ts';
import { type OnError, Reports } from './reports.ts';
import { failure, type HeartbeatResult, type Limits, send, unforeseen } from './send.ts';
import { problemOfBeatUrl } from './signal.ts';
import { type Fetch, realSurroundings, type Surroundings } from './surroundings.ts';
import { type Ending, watch } from './watch.ts';

const BUDGET_SECONDS = 20;
/** Beats of watched jobs under way at once; more than this means that nothing gets through. */
const MOST_UNDER_WAY = 100;
const DEFAULT_EVERY_SECONDS = 60;

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
  readonly #account: Account;
  readonly #around: Surroundings;
  readonly #reports: Reports;
  readonly #timeoutSeconds: number;
  readonly #pending = new Set<Promise<unknown>>();

  /** `around` is for tests. */
  constructor(options: FloeOptions, around: Surroundings = realSurroundings(options?.fetch)) {
    this.#account = { apiKey: checkedKey(options?.apiKey), baseUrl: checkedAddress(options.baseUrl) };
    this.#timeoutSeconds = checkedSeconds(options.timeoutSeconds);
    this.#around = around;
    this.#reports = new Reports(around, options.onError);
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
    if (!isId(monitorId)) return this.#refuse(monitorId);
    return this.#deliver(() => beatCall(this.#account, monitorId, metadata, this.#around.id()));
  }

  /**
   * Beats from now on, in the background, until the handle is stopped. Never throws.
   *
   * @example
   * const beating = floe.startHeartbeat('queue-worker', { everySeconds: 30 });
   * beating.running; // true
   * await beating.stop({ final: true });
   */
  startHeartbeat(monitorId: string, options: LoopOptions = {}): HeartbeatHandle {
    const everySeconds = options.everySeconds ?? DEFAULT_EVERY_SECONDS;
    const usable = typeof everySeconds === 'number' && everySeconds > 0 && Number.isFinite(everySeconds);
    if (!usable) {
      const message = `everySeconds is ${String(everySeconds)}, which is no interval; beating every ${DEFAULT_EVERY_SECONDS} s`;
      this.#reports.failed(String(monitorId), new FloeConfigurationError(message), options.onError);
    }
    const loop = new HeartbeatLoop(monitorId, usable ? everySeconds : DEFAULT_EVERY_SECONDS, options, {
      account: this.#account,
      around: this.#around,
      reports: this.#reports,
      timeoutSeconds: this.#timeoutSeconds,
      budgetSeconds: BUDGET_SECONDS,
    });
    if (!isId(monitorId)) {
      void loop.stop();
      void this.#refuse(monitorId, options.onError);
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
    const startedMs = this.#around.monotonic();
    const runId = this.#around.id();
    const started = options.beatUrl === undefined ? null : this.#signal('start', monitorId, runId, options);
    return watch(job, (ending) => {
      const durationMs = Math.round(this.#around.monotonic() - startedMs);
      void this.#ended(ending, { monitorId, runId, durationMs, started, options });
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
    const late = new Promise<boolean>((resolve) => {
      const timer = this.#around.after(limitMs, () => resolve(false), true);
      void Promise.all(this.#pending).then(() => {
        timer.cancel();
        resolve(true);
      });
    });
    return late;
  }

  async #ended(ending: Ending, run: FinishedRun): Promise<void> {
    const { monitorId, runId, durationMs, started, options } = run;
    try {
      const metadata = { ...options.metadata, duration_ms: durationMs };
      if (options.beatUrl === undefined) {
        if (!ending.ok) return;
        if (!isId(monitorId)) return void (await this.#refuse(monitorId, options.onError));
        const call = () => beatCall(this.#account, monitorId, metadata, runId);
        return void (await this.#inBackground(call, monitorId, options.onError));
      }
      // The name of the error and not its text, which may hold what no monitor should know.
      const failed = ending.ok ? {} : { error: nameOf(ending.error) };
      const told = { ...options, metadata: { ...metadata, ...failed } };
      await this.#track(
        Promise.resolve(started).then(() =>
          this.#signal(ending.ok ? 'success' : 'fail', monitorId, runId, told),
        ),
      );
    } catch (error) {
      this.#reports.say(`defect ${monitorId}`, `${monitorId}: ${messageOf(error)}`);
    }
  }

  #signal(
    signal: Signal,
    monitorId: string,
    runId: string,
    options: MonitorOptions,
  ): Promise<HeartbeatResult> {
    const { beatUrl = '', metadata } = options;
    const wrong = problemOfBeatUrl(beatUrl);
    if (wrong) {
      this.#reports.failed(monitorId, wrong, options.onError);
      return Promise.resolve(failure(wrong, 0));
    }
    const call = () => signalCall(beatUrl, signal, { monitorId, runId, metadata });
    return this.#inBackground(call, monitorId, options.onError);
  }

  #inBackground(call: () => Call, monitorId: string, onError?: OnError): Promise<HeartbeatResult> {
    if (this.#pending.size < MOST_UNDER_WAY) return this.#deliver(call, onError);
    const message = `${MOST_UNDER_WAY} beats are under way already; this one is dropped`;
    const error = new FloeConnectionError(message, { code: 'dropped' });
    this.#reports.failed(monitorId, error, onError);
    return Promise.resolve(failure(error, 0));
  }

  #deliver(call: () => Call, onError?: OnError): Promise<HeartbeatResult> {
    return this.#track(this.#delivered(call, onError));
  }

  async #delivered(makeCall: () => Call, onError?: OnError): Promise<HeartbeatResult> {
    let result: HeartbeatResult;
    let monitorId = 'monitor';
    try {
      const call = makeCall();
      monitorId = call.monitorId;
      const timeoutSeconds = this.#timeoutSeconds;
      const limits: Limits = { timeoutSeconds, budgetSeconds: BUDGET_SECONDS, keepsAlive: true };
      result = await send(call, limits, this.#around);
    } catch (error) {
      result = unforeseen(error);
    }
    if (result.error) this.#reports.failed(monitorId, result.error, onError);
    if (result.metadataDropped !== null)
      this.#reports.say(`metadata ${monitorId}`, `${monitorId}: ${result.metadataDropped}`);
    return result;
  }

  async #refuse(monitorId: unknown, onError?: OnError): Promise<HeartbeatResult> {
    const shown = typeof monitorId === 'string' ? '""' : typeof monitorId;
    const error = new FloeConfigurationError(`the monitor id is ${shown}; it must be a non-empty string`);
    this.#reports.failed(shown, error, onError);
    return failure(error, 0);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const forget = () => this.#pending.delete(work);
    work.then(forget, forget);
    return work;
  }
}

interface FinishedRun {
  readonly monitorId: string;
  readonly runId: string;
  readonly durationMs: number;
  readonly started: Promise<unknown> | null;
  readonly options: MonitorOptions;
}

function isId(monitorId: unknown): monitorId is string {
  return typeof monitorId === 'string' && monitorId !== '';
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** A header cannot carry anything else; `fetch` would refuse it later with the key in its message. */
function checkedKey(apiKey: unknown): string {
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (key === '') throw new FloeConfigurationError('apiKey is missing: new Floe({ apiKey: "eis_…" })');
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new FloeConfigurationError('apiKey holds characters that no key has: spaces, line ends or accents');
  return key;
}

function checkedAddress(baseUrl: unknown = 'http://127.0.0.1:3563'): string {
  const text = typeof baseUrl === 'string' ? baseUrl.trim() : '';
  if (!/^https?:\/\/[^/\s?#@]+(\/[^\s?#]*)?$/i.test(text))
    throw new FloeConfigurationError(
      'baseUrl must be an http(s) address such as https://floe.example.com, without user, query or fragment',
    );
  return text.replace(/\/+$/, '');
}

function checkedSeconds(timeoutSeconds: unknown = 5): number {
  if (typeof timeoutSeconds === 'number' && timeoutSeconds > 0 && Number.isFinite(timeoutSeconds))
    return timeoutSeconds;
  throw new FloeConfigurationError('timeoutSeconds must be a positive number');
}
