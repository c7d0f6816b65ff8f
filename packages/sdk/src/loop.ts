import { type Account, beatCall } from './call.ts';
import { type FloeError, FloeUnhealthyError } from './errors.ts';
import type { HeartbeatHandle, LoopOptions } from './loop-options.ts';
import { messageOf } from './metadata.ts';
import type { Reports } from './reports.ts';
import { type HeartbeatResult, type Limits, send } from './send.ts';
import { endOnSigterm } from './sigterm.ts';
import type { Surroundings, Timer } from './surroundings.ts';

const FINAL_SECONDS = 2;
const JITTER = 0.1;

export interface LoopParts {
  readonly account: Account;
  readonly around: Surroundings;
  readonly reports: Reports;
  readonly timeoutSeconds: number;
  readonly budgetSeconds: number;
}

/**
 * Beats on a grid of monotonic time, so that it neither drifts nor catches up: after a suspended machine or a
 * blocked event loop one beat goes out, not those that were missed. The next beat is planned when this one is over.
 */
export class HeartbeatLoop implements HeartbeatHandle {
  readonly monitorId: string;
  readonly #parts: LoopParts;
  readonly #options: LoopOptions;
  readonly #everyMs: number;
  readonly #startedMs: number;
  readonly #stop = new AbortController();
  readonly #release: () => void;
  #slot = 0;
  #timer: Timer | undefined;
  #beating: Promise<void> = Promise.resolve();
  #ended: Promise<void> | undefined;
  #touchedMs: number;
  #keptBack: string | null = null;
  #lastResult: HeartbeatResult | null = null;

  constructor(monitorId: string, everySeconds: number, options: LoopOptions, parts: LoopParts) {
    this.monitorId = monitorId;
    this.#parts = parts;
    this.#options = options;
    this.#everyMs = everySeconds * 1000;
    const { around } = parts;
    // Without a beat at the start the grid itself begins somewhere in the first interval.
    const waitMs = options.beatAtStart === false ? around.random() * this.#everyMs : 0;
    this.#startedMs = around.monotonic() + waitMs;
    this.#touchedMs = around.monotonic();
    this.#release = options.stopOnSigterm === true ? endOnSigterm(this) : () => undefined;
    this.#plan(waitMs);
  }

  get running(): boolean {
    return this.#ended === undefined;
  }

  get lastResult(): HeartbeatResult | null {
    return this.#lastResult;
  }

  touch(): void {
    this.#touchedMs = this.#parts.around.monotonic();
  }

  stop(options: { readonly final?: boolean } = {}): Promise<void> {
    this.#ended ??= this.#end(options.final === true);
    return this.#ended;
  }

  async #end(final: boolean): Promise<void> {
    this.#timer?.cancel();
    this.#stop.abort();
    await this.#beating;
    if (final)
      await this.#send(
        { timeoutSeconds: FINAL_SECONDS, budgetSeconds: FINAL_SECONDS, keepsAlive: true },
        true,
      );
    this.#release();
  }

  #plan(waitMs: number): void {
    // The first beat leaves even when the program ends right after starting its loop.
    const keepsAlive = this.#options.keepAlive === true || waitMs === 0;
    this.#timer = this.#parts.around.after(
      waitMs,
      () => {
        this.#slot = Math.max(this.#slot, this.#slotNow());
        this.#beating = this.#beatThenPlan();
      },
      keepsAlive,
    );
  }

  #slotNow(): number {
    return Math.floor((this.#parts.around.monotonic() - this.#startedMs) / this.#everyMs);
  }

  async #beatThenPlan(): Promise<void> {
    const { around } = this.#parts;
    try {
      await this.#beat();
    } catch (error) {
      this.#parts.reports.say(`defect ${this.monitorId}`, `${this.monitorId}: ${messageOf(error)}`);
    }
    if (!this.running) return;
    this.#slot = Math.max(this.#slot, this.#slotNow()) + 1;
    const jitterMs = (around.random() - 0.5) * JITTER * this.#everyMs;
    const dueMs = this.#startedMs + this.#slot * this.#everyMs + jitterMs;
    this.#plan(dueMs - around.monotonic());
  }

  async #beat(): Promise<void> {
    const reason = await this.#reasonToKeepBack();
    if (!this.running) return;
    if (reason !== null) {
      if (this.#keptBack !== reason.code) this.#report(reason);
      this.#keptBack = reason.code;
      return;
    }
    this.#keptBack = null;
    const { timeoutSeconds, budgetSeconds } = this.#parts;
    const everySeconds = this.#everyMs / 1000;
    await this.#send(
      {
        timeoutSeconds: Math.min(timeoutSeconds, everySeconds / 4),
        budgetSeconds: Math.min(budgetSeconds, everySeconds * 0.9),
        keepsAlive: this.#options.keepAlive === true,
        stop: this.#stop.signal,
      },
      false,
    );
  }

  async #send(limits: Limits, final: boolean): Promise<void> {
    const { account, around } = this.#parts;
    const { value, problem } = await this.#metadata(limits.timeoutSeconds);
    if (!final && !this.running) return;
    const isObject = typeof value === 'object' && value !== null;
    const metadata = final ? { ...(isObject ? value : {}), stopped: true } : value;
    const call = beatCall(account, this.monitorId, metadata, around.id());
    const noted = problem === null ? call : { ...call, metadataDropped: problem };
    const result = await send(noted, limits, around);
    if (result.error?.code === 'stopped') return;
    this.#lastResult = result;
    if (result.error) this.#report(result.error);
    if (result.metadataDropped !== null) this.#sayOnce('metadata', result.metadataDropped);
    this.#compareIntervals(result);
  }

  async #reasonToKeepBack(): Promise<FloeError | null> {
    const { healthy, stallAfter } = this.#options;
    const { around, timeoutSeconds } = this.#parts;
    const idleSeconds = (around.monotonic() - this.#touchedMs) / 1000;
    if (stallAfter !== undefined && idleSeconds > stallAfter)
      return keptBack('stalled', `no touch() for ${Math.round(idleSeconds)} s; beats are kept back`);
    if (healthy === undefined) return null;
    const limitSeconds = Math.min(timeoutSeconds, this.#everyMs / 4000);
    const asked = await within(limitSeconds, healthy, around);
    if (asked.done === 'returned' && asked.value === true) return null;
    const said = asked.done === 'returned' ? 'said no' : asked.problem;
    return keptBack('unhealthy', `healthy() ${said}; beats are kept back`);
  }

  async #metadata(limitSeconds: number): Promise<{ value: unknown; problem: string | null }> {
    const { metadata } = this.#options;
    if (typeof metadata !== 'function') return { value: metadata, problem: null };
    const asked = await within(limitSeconds, () => metadata(), this.#parts.around);
    if (asked.done === 'returned') return { value: asked.value, problem: null };
    return { value: undefined, problem: `metadata() ${asked.problem}` };
  }

  #report(error: FloeError): void {
    this.#parts.reports.failed(this.monitorId, error, this.#options.onError);
  }

  #sayOnce(about: string, line: string): void {
    this.#parts.reports.say(`${about} ${this.monitorId}`, `${this.monitorId}: ${line}`);
  }

  /** A loop as slow as its monitor is impatient looks fine until the first jitter. */
  #compareIntervals({ beat }: HeartbeatResult): void {
    if (beat?.receivedAt == null || beat.nextDueAt === null) return;
    const expectedMs = Date.parse(beat.nextDueAt) - Date.parse(beat.receivedAt);
    if (!(expectedMs > 0) || this.#everyMs < expectedMs) return;
    const [own, theirs] = [this.#everyMs / 1000, expectedMs / 1000];
    this.#sayOnce(
      'interval',
      `beats every ${own} s, but the monitor expects one every ${theirs} s; set everySeconds to half`,
    );
  }
}

function keptBack(code: string, message: string): FloeError {
  return new FloeUnhealthyError(message, { code });
}

type Asked = { done: 'returned'; value: unknown } | { done: 'not'; problem: string };

/** What the job's own callback gives, or why it gave nothing in time. Never rejects. */
function within(seconds: number, callback: () => unknown, around: Surroundings): Promise<Asked> {
  return new Promise((resolve) => {
    const late = () => resolve({ done: 'not', problem: `did not answer within ${seconds} s` });
    const threw = (error: unknown) => {
      timer.cancel();
      resolve({ done: 'not', problem: `threw: ${messageOf(error)}` });
    };
    const timer = around.after(seconds * 1000, late, false);
    try {
      Promise.resolve(callback()).then((value) => {
        timer.cancel();
        resolve({ done: 'returned', value });
      }, threw);
    } catch (error) {
      threw(error);
    }
  });
}
