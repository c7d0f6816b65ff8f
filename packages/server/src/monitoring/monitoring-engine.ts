import { Fault } from '@floe/contract/faults';
import { type Clock as SystemClock, sleep } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { expireBeatIdempotencyKeys } from '../store/monitoring/monitor-history.ts';
import { hasDueMonitorState } from '../store/monitoring/monitor-states.ts';
import { getOrgIdsByBeatTokenHash } from '../store/monitoring/monitors.ts';
import { OutdatedTimeFault, requireRewindCount } from '../store/monitoring/rewind-count.ts';
import type { DatabaseWithBeatStore } from '../store/open-database.ts';
import type { Database } from '../store/store-interfaces.ts';
import { BeatQueue } from './beat-queue.ts';
import { commitBeats } from './commit-beats.ts';
import { MonitorStateCache } from './monitor-state-cache.ts';
import type { MonitoringCounters } from './monitoring-metrics.ts';
import { applyBeatsOptimistically } from './optimistic-beats.ts';
import { ProcessLiveness } from './process-liveness.ts';
import type { MonitorChangeTime } from './read-monitors.ts';
import {
  type BeatReceipt,
  type BeatEvaluationContext as BeatSight,
  clampReceivedAt,
  type ReceivedBeat,
} from './received-beat.ts';
import { logFailedEvaluations, MAX_MONITORS_PER_SWEEP_BATCH, sweepDueMonitors } from './sweep.ts';

/** How long idempotency keys are stored. */
const IDEMPOTENCY_KEY_TTL_MS = 48 * 60 * 60 * 1000;
/**
 * Interval at which, and maximum number of times that, a change checks whether the other processes have
 * committed their beats. They report once a second.
 */
const COMMIT_POLL_MS = 100;
const COMMIT_POLL_ATTEMPTS = 25;
/**
 * Maximum number of attempts of a transaction if the clock is set back meanwhile. A pulse that is already running may
 * have begun earlier.
 */
const MAX_TIME_ATTEMPTS = 4;
const KEY_CLEANUP_INTERVAL_MS = 60 * 60 * 1000;

export interface MonitoringEngineOptions {
  readonly database: DatabaseWithBeatStore;
  readonly clock: SystemClock;
  readonly log: Log;
  readonly counters: MonitoringCounters;
  /** The id of this process (see `ProcessLivenessOptions`). */
  readonly processId?: string;
  /** Number of beats in one transaction. Only measurements set it. */
  readonly batchSize?: number;
}

/**
 * Records beats and detects missed ones. Any number of processes can each run one engine on the
 * same database.
 */
export class MonitoringEngine {
  readonly #options: MonitoringEngineOptions;
  readonly #queue: BeatQueue;
  readonly #pulse: ProcessLiveness;
  readonly #states = new MonitorStateCache();
  #keysCleanedAt = Number.NEGATIVE_INFINITY;

  constructor(options: MonitoringEngineOptions) {
    this.#options = options;
    const { database, clock, log, batchSize, processId } = options;
    this.#queue = new BeatQueue({
      clock,
      log,
      applyOptimistically: (calls) => this.#applyOptimistically(calls),
      commit: (calls) => this.#commit(calls),
      findOrg: ({ address }) =>
        'id' in address ? address.orgId : (this.#states.get(address)?.org_id ?? null),
      lookUpOrgs: (calls) => lookUpOrgs(database, calls),
      ...(batchSize === undefined ? {} : { batchSize }),
    });
    this.#pulse = new ProcessLiveness({
      database,
      clock,
      log,
      ...(processId === undefined ? {} : { processId }),
      oldestPendingAt: () => this.#queue.oldestReceivedAt(),
      afterPulse: () => this.#sweepAll(),
    });
  }

  /**
   * Reads the database time and the gaps. This process does not accept beats yet.
   * @throws Fault if the database is unavailable
   */
  prepare(): Promise<void> {
    return this.#pulse.prepare();
  }

  /**
   * Records that this process accepts beats from now on. Its listeners must be open.
   * @throws Fault if the database is unavailable
   */
  start(): Promise<void> {
    return this.#pulse.start();
  }

  /** Returns the database time in Unix milliseconds. */
  now(): number {
    return this.#pulse.now();
  }

  /** Returns the gaps and times that are needed to read monitors. */
  evaluationContext(): MonitorChangeTime {
    const { gaps, committedUntil, rewindCount } = this.#pulse;
    return { gaps, committedUntil, rewindCount, nowMs: this.#pulse.now() };
  }

  /**
   * Returns the gaps and times that are needed to change monitors. Waits for beats that may still arrive for
   * a deadline that has just passed, so that the change does not hide a miss.
   * @throws Fault if the database is unavailable
   */
  async changeContext(): Promise<MonitorChangeTime> {
    const { database, clock } = this.#options;
    await this.#pulse.ensureFresh();
    const asked = this.#pulse.now();
    // A pulse that is already running may have begun earlier.
    for (let pulses = 0; pulses < 2 && this.#pulse.committedUntil < asked; pulses++) await this.#pulse.send();
    for (let tries = 0; tries < COMMIT_POLL_ATTEMPTS && this.#pulse.committedUntil < asked; tries++) {
      if (!(await hasDueMonitorState(database.read, asked))) break;
      await sleep(clock, COMMIT_POLL_MS);
      await this.#pulse.send();
    }
    return this.evaluationContext();
  }

  /** Number of beats that are not committed yet. */
  get pendingBeats(): number {
    return this.#queue.length;
  }

  /**
   * Records one beat, received now. Resolves when it is committed.
   * @throws Fault `monitor_not_found`; `overloaded` with the time to wait
   */
  async recordBeat(call: Omit<ReceivedBeat, 'receivedAt' | 'earliestReceivedAt'>): Promise<BeatReceipt> {
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

  /** Sends a pulse and runs a sweep immediately, for tests and measurements. */
  async pulseAndSweep(): Promise<void> {
    await this.#pulse.send();
    await this.#sweepAll();
  }

  /**
   * Sends the responses to beats in progress and releases the lease of this process. Monitors that become due
   * afterwards are not counted as missed. Beats on open connections are still accepted.
   */
  async stop(): Promise<void> {
    await this.#queue.flush();
    await this.#pulse.close();
  }

  /** Resolves when all accepted beats have a response. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  async #applyOptimistically(calls: readonly ReceivedBeat[]): Promise<(BeatReceipt | null)[]> {
    await this.#pulse.ensureFresh();
    const context = this.#beatContext();
    if (context.peersCommittedUntil !== Number.POSITIVE_INFINITY) return [];
    const { rewindCount } = this.#pulse;
    return applyBeatsOptimistically(
      (beats) => this.#options.database.applyBeatsIfUnchanged(beats, rewindCount),
      clampReceivedAt(calls, context.nowMs),
      context,
      this.#states,
    );
  }

  async #commit(calls: readonly ReceivedBeat[]) {
    await this.#pulse.ensureFresh();
    return this.#withCurrentTime((database) => {
      const context = this.#beatContext();
      return commitBeats(database, clampReceivedAt(calls, context.nowMs), context, this.#states);
    });
  }

  /**
   * Runs a transaction with the times of the last pulse. If another process has moved the recorded times back since
   * then, sends a pulse and runs it again.
   * @throws Fault `overloaded`
   */
  async #withCurrentTime<T>(run: (database: Pick<Database, 'rowTransaction'>) => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++)
      try {
        const { rewindCount } = this.#pulse;
        return await run({
          rowTransaction: (work) =>
            this.#options.database.rowTransaction(async (writer) => {
              await requireRewindCount(writer, rewindCount);
              return work(writer);
            }),
        });
      } catch (error) {
        if (!(error instanceof OutdatedTimeFault) || attempts === MAX_TIME_ATTEMPTS) throw error;
        await this.#pulse.send();
      }
  }

  #beatContext(): BeatSight {
    const { gaps, peersCommittedUntil } = this.#pulse;
    return { nowMs: this.#pulse.now(), gaps, peersCommittedUntil };
  }

  async #sweepAll(): Promise<void> {
    const { database, counters, clock, log } = this.#options;
    for (;;) {
      const swept = await this.#withCurrentTime((current) =>
        sweepDueMonitors(current, this.evaluationContext()),
      );
      counters.countSweep(swept);
      logFailedEvaluations(log, swept.failures, 'missed beats are not detected; retrying in 10 minutes');
      if (swept.evaluated < MAX_MONITORS_PER_SWEEP_BATCH) break;
      // During a long sweep, this process must not appear to be down.
      await this.#pulse.ensureFresh();
    }
    if (clock.monotonic() - this.#keysCleanedAt < KEY_CLEANUP_INTERVAL_MS) return;
    this.#keysCleanedAt = clock.monotonic();
    while (await expireBeatIdempotencyKeys(database, this.#pulse.now() - IDEMPOTENCY_KEY_TTL_MS))
      await this.#pulse.ensureFresh();
  }
}

async function lookUpOrgs(
  database: Pick<DatabaseWithBeatStore, 'read'>,
  calls: readonly ReceivedBeat[],
): Promise<(string | null)[]> {
  const hashes = calls.map(({ address }) => ('tokenHash' in address ? address.tokenHash : ''));
  const orgs = await getOrgIdsByBeatTokenHash(database.read, [...new Set(hashes)]);
  return hashes.map((hash) => orgs.get(hash) ?? null);
}
