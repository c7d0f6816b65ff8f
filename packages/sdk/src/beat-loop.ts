import { type ApiConnectionSettings, createBeatRequest } from './beat-request.ts';
import { type FloeError, FloeUnhealthyError } from './errors.ts';
import type { FailureReporter } from './failure-reporter.ts';
import type { HeartbeatHandle, HeartbeatOptions } from './heartbeat-options.ts';
import { addToMetadata, describeThrownValue } from './metadata.ts';
import type { Runtime, RuntimeTimer } from './runtime.ts';
import { type HeartbeatResult, type SendTimeLimits, sendWithRetries } from './send-with-retries.ts';
import { stopOnSigterm } from './stop-on-sigterm.ts';

const FINAL_BEAT_SECONDS = 2;
/** Maximum part of this time for all callbacks of the job together. The rest remains for sending the beat. */
const FINAL_CALLBACK_SECONDS = 1;
const JITTER_FRACTION = 0.1;

/** The parts of the client that a heartbeat loop uses. */
export interface BeatLoopDependencies {
  readonly account: ApiConnectionSettings;
  readonly runtime: Runtime;
  readonly reporter: FailureReporter;
  readonly timeoutSeconds: number;
  readonly budgetSeconds: number;
}

/**
 * Sends beats at fixed times of a monotonic clock, so that delays do not add up. The next beat is scheduled
 * only when the current one has been sent. After the machine was suspended or the event loop was blocked, one
 * beat replaces all beats that were due meanwhile.
 */
export class BeatLoop implements HeartbeatHandle {
  readonly monitorId: string;
  readonly #dependencies: BeatLoopDependencies;
  readonly #options: HeartbeatOptions;
  readonly #everyMs: number;
  readonly #startedMs: number;
  readonly #stop = new AbortController();
  readonly #removeSigtermListener: () => void;
  #slot = 0;
  #timer: RuntimeTimer | undefined;
  #currentBeat: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  #touchedMs: number;
  #withheldCode: string | null = null;
  #lastResult: HeartbeatResult | null = null;

  constructor(
    monitorId: string,
    options: HeartbeatOptions & { readonly everySeconds: number },
    parts: BeatLoopDependencies,
  ) {
    this.monitorId = monitorId;
    this.#dependencies = parts;
    this.#options = options;
    this.#everyMs = options.everySeconds * 1000;
    const { runtime } = parts;
    // Without a beat at the start, the grid starts at a random time in the first interval.
    const waitMs = options.beatAtStart === false ? runtime.random() * this.#everyMs : 0;
    this.#startedMs = runtime.monotonic() + waitMs;
    this.#touchedMs = runtime.monotonic();
    this.#removeSigtermListener = options.stopOnSigterm === true ? stopOnSigterm(this) : () => undefined;
    this.#scheduleBeat(waitMs);
  }

  get running(): boolean {
    return this.#stopped === undefined;
  }

  get lastResult(): HeartbeatResult | null {
    return this.#lastResult;
  }

  touch(): void {
    this.#touchedMs = this.#dependencies.runtime.monotonic();
  }

  stop(options: { readonly final?: boolean } = {}): Promise<void> {
    this.#stopped ??= this.#finish(options.final === true);
    return this.#stopped;
  }

  async #finish(final: boolean): Promise<void> {
    this.#timer?.cancel();
    this.#stop.abort();
    await this.#currentBeat;
    if (final) await this.#sendFinal();
    this.#removeSigtermListener();
  }

  #scheduleBeat(waitMs: number): void {
    // The first beat is sent even if the program ends right after starting its loop.
    const keepsAlive = this.#options.keepAlive === true || waitMs === 0;
    this.#timer = this.#dependencies.runtime.after(
      waitMs,
      () => {
        this.#slot = Math.max(this.#slot, this.#currentSlot());
        this.#currentBeat = this.#beatAndReschedule();
      },
      keepsAlive,
    );
  }

  #currentSlot(): number {
    return Math.floor((this.#dependencies.runtime.monotonic() - this.#startedMs) / this.#everyMs);
  }

  async #beatAndReschedule(): Promise<void> {
    const { runtime } = this.#dependencies;
    try {
      await this.#beat();
    } catch (error) {
      this.#dependencies.reporter.logLimited(
        `defect ${this.monitorId}`,
        `${this.monitorId}: ${describeThrownValue(error)}`,
      );
    }
    if (!this.running) return;
    this.#slot = Math.max(this.#slot, this.#currentSlot()) + 1;
    const jitterMs = (runtime.random() - 0.5) * JITTER_FRACTION * this.#everyMs;
    const dueMs = this.#startedMs + this.#slot * this.#everyMs + jitterMs;
    this.#scheduleBeat(dueMs - runtime.monotonic());
  }

  async #beat(): Promise<void> {
    const reason = await this.#findWithholdReason(this.#callbackLimit());
    if (!this.running || this.#withholdBecauseOf(reason)) return;
    const { timeoutSeconds, budgetSeconds } = this.#dependencies;
    const everySeconds = this.#everyMs / 1000;
    const limits = {
      timeoutSeconds: Math.min(timeoutSeconds, everySeconds / 4),
      budgetSeconds: Math.min(budgetSeconds, everySeconds * 0.9),
      keepsAlive: this.#options.keepAlive === true,
      stop: this.#stop.signal,
    };
    const metadata = await this.#resolveMetadata(this.#callbackLimit());
    if (this.running) await this.#deliver(metadata, limits);
  }

  /** Returns whether there is a reason to send no beat. Reports the reason when it changes. */
  #withholdBecauseOf(reason: FloeError | null): boolean {
    const code = reason?.code ?? null;
    if (reason !== null && this.#withheldCode !== code) this.#reportError(reason);
    this.#withheldCode = code;
    return reason !== null;
  }

  /** The time limit of a callback. It ends early if the loop is stopped. */
  #callbackLimit(): CallbackLimit {
    const seconds = Math.min(this.#dependencies.timeoutSeconds, this.#everyMs / 4000);
    return { seconds, keepsAlive: false, stop: this.#stop.signal };
  }

  /** Sends the last beat, unless there is a reason to send no beat. If the metadata takes too long, sends it without. */
  async #sendFinal(): Promise<void> {
    const { runtime } = this.#dependencies;
    const startedMs = runtime.monotonic();
    const elapsedSeconds = () => (runtime.monotonic() - startedMs) / 1000;
    const callbackLimit = () => ({
      seconds: Math.max(0, FINAL_CALLBACK_SECONDS - elapsedSeconds()),
      keepsAlive: true,
    });
    if (this.#withholdBecauseOf(await this.#findWithholdReason(callbackLimit()))) return;
    const { value, problem } = await this.#resolveMetadata(callbackLimit());
    const extended = addToMetadata(value, { stopped: true });
    const metadata = { value: extended.value, problem: problem ?? extended.problem };
    const leftSeconds = FINAL_BEAT_SECONDS - elapsedSeconds();
    await this.#deliver(metadata, {
      timeoutSeconds: leftSeconds,
      budgetSeconds: leftSeconds,
      keepsAlive: true,
    });
  }

  async #deliver({ value, problem }: ResolvedMetadata, limits: SendTimeLimits): Promise<void> {
    const { account, runtime } = this.#dependencies;
    const call = createBeatRequest(account, this.monitorId, value, runtime.id());
    const noted = problem === null ? call : { ...call, metadataDropped: problem };
    const result = await sendWithRetries(noted, limits, runtime);
    if (result.error?.code === 'stopped') return;
    this.#lastResult = result;
    if (result.error) this.#reportError(result.error);
    if (result.metadataDropped !== null) this.#logLimited('metadata', result.metadataDropped);
    this.#warnIfIntervalTooLong(result);
  }

  async #findWithholdReason(limit: CallbackLimit): Promise<FloeError | null> {
    const { healthy, stallAfterSeconds } = this.#options;
    const { runtime } = this.#dependencies;
    const idleSeconds = (runtime.monotonic() - this.#touchedMs) / 1000;
    if (stallAfterSeconds !== undefined && idleSeconds > stallAfterSeconds)
      return unhealthyError(
        'stalled',
        `touch() has not been called for ${Math.round(idleSeconds)} s; no beats are sent`,
      );
    if (healthy === undefined) return null;
    const asked = await callWithin(limit, healthy, runtime);
    if (asked.done === 'returned' && asked.value === true) return null;
    const said = asked.done === 'returned' ? 'did not return true' : asked.problem;
    return unhealthyError('unhealthy', `healthy() ${said}; no beats are sent`);
  }

  async #resolveMetadata(limit: CallbackLimit): Promise<ResolvedMetadata> {
    const { metadata } = this.#options;
    if (typeof metadata !== 'function') return { value: metadata, problem: null };
    const asked = await callWithin(limit, () => metadata(), this.#dependencies.runtime);
    if (asked.done === 'returned') return { value: asked.value, problem: null };
    return { value: undefined, problem: `metadata() ${asked.problem}` };
  }

  #reportError(error: FloeError): void {
    this.#dependencies.reporter.reportFailure(this.monitorId, error, this.#options.onError);
  }

  #logLimited(about: string, line: string): void {
    this.#dependencies.reporter.logLimited(`${about} ${this.monitorId}`, `${this.monitorId}: ${line}`);
  }

  /** Warns if the interval is as long as the monitor allows, because any delay then fails the monitor. */
  #warnIfIntervalTooLong({ beat }: HeartbeatResult): void {
    if (beat?.receivedAt == null || beat.nextDueAt === null) return;
    const expectedMs = Date.parse(beat.nextDueAt) - Date.parse(beat.receivedAt);
    if (!(expectedMs > 0) || this.#everyMs < expectedMs) return;
    const [own, theirs] = [this.#everyMs / 1000, expectedMs / 1000];
    this.#logLimited(
      'interval',
      `the beat interval is ${own} s, but the monitor expects the next beat within ${theirs} s; set everySeconds to half of this time`,
    );
  }
}

function unhealthyError(code: string, message: string): FloeError {
  return new FloeUnhealthyError(message, { code });
}

interface ResolvedMetadata {
  readonly value: unknown;
  /** Why there is no value. Null if there is one. */
  readonly problem: string | null;
}

interface CallbackLimit {
  readonly seconds: number;
  /** Whether the wait keeps the process alive. */
  readonly keepsAlive: boolean;
  /** Ends the wait, because the result is no longer needed. */
  readonly stop?: AbortSignal;
}

type CallbackResult = { done: 'returned'; value: unknown } | { done: 'not'; problem: string };

/**
 * Calls the job's callback. Resolves to its result, or to the reason why there is none in time. Never
 * rejects.
 */
function callWithin(
  { seconds, keepsAlive, stop }: CallbackLimit,
  callback: () => unknown,
  runtime: Runtime,
): Promise<CallbackResult> {
  return new Promise((resolve) => {
    const end = (result: CallbackResult) => {
      timer.cancel();
      stop?.removeEventListener('abort', onStop);
      resolve(result);
    };
    const onTimeout = () =>
      end({ done: 'not', problem: `did not return within ${Number(seconds.toFixed(2))} s` });
    const onStop = () => end({ done: 'not', problem: 'did not return before the loop was stopped' });
    const onError = (error: unknown) => end({ done: 'not', problem: `threw: ${describeThrownValue(error)}` });
    const timer = runtime.after(seconds * 1000, onTimeout, keepsAlive);
    stop?.addEventListener('abort', onStop, { once: true });
    try {
      Promise.resolve(callback()).then((value) => end({ done: 'returned', value }), onError);
    } catch (error) {
      onError(error);
    }
  });
}
