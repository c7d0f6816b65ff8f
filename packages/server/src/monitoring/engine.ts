import { Fault } from '@floe/contract/faults';
import { type Clock as SystemClock, sleep } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { hasDueClock } from '../store/monitoring/monitor-clocks.ts';
import { expireBeatKeys } from '../store/monitoring/monitor-history.ts';
import type { DatabaseWithBeats } from '../store/open-database.ts';
import type { BeatCall, BeatReceipt, BeatEvaluationContext as BeatSight } from './beat-call.ts';
import { BeatQueue } from './beat-queue.ts';
import { ClockCache } from './clock-cache.ts';
import { commitBeats } from './commit-beats.ts';
import type { MonitoringCounters } from './monitoring-metrics.ts';
import { applyBeatsOptimistically } from './optimistic-beats.ts';
import { ProcessPulse } from './process-pulse.ts';
import type { EvaluationContext } from './read-monitors.ts';
import { CLOCKS_PER_SWEEP, sweepDueClocks } from './sweep.ts';

/** Idempotency keys are known this long. */
const IDEMPOTENCY_KEY_TTL_MS = 48 * 60 * 60 * 1000;
/** How long a change waits before it asks again how far the other processes are, and how often; they say so every second. */
const COMMIT_POLL_MS = 100;
const COMMIT_POLL_ATTEMPTS = 25;
const KEY_CLEANUP_INTERVAL_MS = 60 * 60 * 1000;

export interface MonitoringEngineOptions {
  readonly database: DatabaseWithBeats;
  readonly clock: SystemClock;
  readonly log: Log;
  readonly counters: MonitoringCounters;
  /** See `ProcessPulseOptions`. */
  readonly processId?: string;
  /** Beats of one transaction; for measurements. */
  readonly batchSize?: number;
}

/** Takes beats and finds those that are missing. Any number of processes run one each on a shared store. */
export class MonitoringEngine {
  readonly #options: MonitoringEngineOptions;
  readonly #queue: BeatQueue;
  readonly #pulse: ProcessPulse;
  readonly #clocks = new ClockCache();
  #keysCleanedAt = Number.NEGATIVE_INFINITY;

  constructor(options: MonitoringEngineOptions) {
    this.#options = options;
    const { database, clock, log, batchSize, processId } = options;
    this.#queue = new BeatQueue({
      clock,
      log,
      applyOptimistically: (calls) => this.#applyOptimistically(calls),
      commit: (calls) => this.#commit(calls),
      ...(batchSize === undefined ? {} : { batchSize }),
    });
    this.#pulse = new ProcessPulse({
      database,
      clock,
      log,
      ...(processId === undefined ? {} : { processId }),
      oldestPendingAt: () => this.#queue.oldestReceivedAt(),
      afterPulse: () => this.#sweepAll(),
    });
  }

  /** Reads the time and our gaps; this process still counts as away. @throws Fault when the database is away. */
  prepare(): Promise<void> {
    return this.#pulse.prepare();
  }

  /** From here on this process counts as being there: its listeners are open. @throws Fault when the database is away. */
  start(): Promise<void> {
    return this.#pulse.start();
  }

  /** Time of the database in milliseconds. */
  now(): number {
    return this.#pulse.now();
  }

  /** What the history needs to be read: our own gaps and the time. */
  evaluationContext(): EvaluationContext {
    const { gaps, committedUntil } = this.#pulse;
    return { gaps, committedUntil, nowMs: this.#pulse.now() };
  }

  /**
   * What a change of monitors needs to know: the time, until when everything is accounted for, and our own gaps. Waits
   * for what may still come for a deadline that has just passed, so that a change does not undo the miss.
   *
   * @throws Fault when the database is away.
   */
  async changeContext(): Promise<EvaluationContext> {
    const { database, clock } = this.#options;
    await this.#pulse.ensureFresh();
    const asked = this.#pulse.now();
    // One that is under way may have begun before.
    for (let pulses = 0; pulses < 2 && this.#pulse.committedUntil < asked; pulses++) await this.#pulse.send();
    for (let tries = 0; tries < COMMIT_POLL_ATTEMPTS && this.#pulse.committedUntil < asked; tries++) {
      if (!(await hasDueClock(database.read, asked))) break;
      await sleep(clock, COMMIT_POLL_MS);
      await this.#pulse.send();
    }
    return this.evaluationContext();
  }

  /** Beats that are not committed yet. */
  get pendingBeats(): number {
    return this.#queue.length;
  }

  /**
   * Takes one beat, received now; resolves when it is committed.
   *
   * @throws Fault `monitor_not_found`, or `overloaded` with the time to wait.
   */
  async recordBeat(call: Omit<BeatCall, 'receivedAt' | 'earliestReceivedAt'>): Promise<BeatReceipt> {
    const { counters } = this.#options;
    const receivedAt = this.#pulse.now();
    const waitedMs = this.#pulse.maxReceiveDelayMs();
    const heard = waitedMs > 0 ? { earliestReceivedAt: receivedAt - waitedMs } : {};
    try {
      const answer = await this.#queue.add({ ...call, ...heard, receivedAt });
      counters.countBeat(call.kind);
      return answer;
    } catch (error) {
      counters.countBeat('rejected');
      if (error instanceof Fault && error.code === 'overloaded') this.#pulse.recordRejection();
      throw error;
    }
  }

  /** A pulse and the sweep after it, now instead of within the second; for tests and measurements. */
  async pulseAndSweep(): Promise<void> {
    await this.#pulse.send();
    await this.#sweepAll();
  }

  /**
   * Answers what is under way and says that this process is gone: what is due from now on is not held against anybody.
   * Beats that still come on open connections are taken.
   */
  async stop(): Promise<void> {
    await this.#queue.flush();
    await this.#pulse.close();
  }

  /** Resolves when every beat taken is answered. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  async #applyOptimistically(calls: readonly BeatCall[]): Promise<(BeatReceipt | null)[]> {
    await this.#pulse.ensureFresh();
    const context = this.#beatContext();
    if (context.peersCommittedUntil !== Number.POSITIVE_INFINITY) return [];
    return applyBeatsOptimistically(
      this.#options.database,
      clampReceivedAt(calls, context.nowMs),
      context,
      this.#clocks,
    );
  }

  async #commit(calls: readonly BeatCall[]) {
    await this.#pulse.ensureFresh();
    const context = this.#beatContext();
    return commitBeats(this.#options.database, clampReceivedAt(calls, context.nowMs), context, this.#clocks);
  }

  #beatContext(): BeatSight {
    const { gaps, peersCommittedUntil } = this.#pulse;
    return { nowMs: this.#pulse.now(), gaps, peersCommittedUntil };
  }

  async #sweepAll(): Promise<void> {
    const { database, counters, clock } = this.#options;
    for (;;) {
      const swept = await sweepDueClocks(database, this.evaluationContext());
      counters.countSweep(swept);
      if (swept.evaluated < CLOCKS_PER_SWEEP) break;
      // A long sweep must not make this process look dead.
      await this.#pulse.ensureFresh();
    }
    if (clock.monotonic() - this.#keysCleanedAt < KEY_CLEANUP_INTERVAL_MS) return;
    this.#keysCleanedAt = clock.monotonic();
    await expireBeatKeys(database, this.#pulse.now() - IDEMPOTENCY_KEY_TTL_MS);
  }
}

/** Beats that waited while the clock was set back were received just now. */
function clampReceivedAt(calls: readonly BeatCall[], nowMs: number): readonly BeatCall[] {
  if (calls.every(({ receivedAt }) => receivedAt <= nowMs)) return calls;
  return calls.map((call) => (call.receivedAt <= nowMs ? call : { ...call, receivedAt: nowMs }));
}
