import { Fault } from '@floe/contract/faults';
import type { Clock as SystemClock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { BeatResult } from './commit-beats.ts';
import type { BeatReceipt, ReceivedBeat } from './received-beat.ts';

/** The maximum number of beats in one transaction. */
export const MAX_BEATS_PER_BATCH = 200;
/** The maximum number of beats that may wait. Further beats are rejected with `overloaded`. */
export const MAX_QUEUED_BEATS = 20_000;
/**
 * Maximum wait. A beat that waited longer is rejected, because its client has stopped waiting, and it must
 * not delay the evaluation of other beats.
 */
const MAX_QUEUE_WAIT_MS = 10_000;
const RETRY_MS = 1_000;
/** Interval at which deferred beats are tried again. Other processes report their progress once a second. */
const DEFERRED_RETRY_MS = 250;

interface QueuedBeat {
  readonly call: ReceivedBeat;
  readonly since: number;
  readonly answer: PromiseWithResolvers<BeatReceipt>;
}

export interface BeatQueueOptions {
  readonly clock: SystemClock;
  readonly log: Log;
  /**
   * Writes the uneventful beats and returns their receipts, and null for all other beats. Rejects if nothing
   * was written.
   */
  readonly applyOptimistically: (calls: readonly ReceivedBeat[]) => Promise<(BeatReceipt | null)[]>;
  /** Writes the remaining beats. Rejects if nothing was written. */
  readonly commit: (calls: readonly ReceivedBeat[]) => Promise<BeatResult[]>;
  /** Number of beats in one transaction. The default is `MAX_BEATS_PER_BATCH`. */
  readonly batchSize?: number;
}

/**
 * Queues beats until they are written to the database. While one batch is being committed, the
 * queue collects the next one. Under load, up to 200 beats share a commit. A single beat does not
 * wait for other beats. The response to a beat is sent only after its commit.
 */
export class BeatQueue {
  readonly #options: BeatQueueOptions;
  readonly #batch: number;
  #waiting: QueuedBeat[] = [];
  #inFlight: readonly QueuedBeat[] = [];
  #deferred: QueuedBeat[] = [];
  #deferredTimer: Timer | null = null;
  #running: Promise<void> | null = null;

  constructor(options: BeatQueueOptions) {
    this.#options = options;
    this.#batch = options.batchSize ?? MAX_BEATS_PER_BATCH;
  }

  /** Number of beats that are not committed yet. */
  get length(): number {
    return this.#waiting.length + this.#inFlight.length + this.#deferred.length;
  }

  /** Returns when the oldest beat that is not committed was received; null if there is none. */
  oldestReceivedAt(): number | null {
    let oldest: number | null = null;
    for (const list of [this.#waiting, this.#inFlight, this.#deferred])
      for (const { call } of list) if (oldest === null || call.receivedAt < oldest) oldest = call.receivedAt;
    return oldest;
  }

  /**
   * Adds a beat. Resolves when it is committed.
   * @throws Fault `monitor_not_found`; `overloaded` if the queue is full or the database is unavailable
   */
  add(call: ReceivedBeat): Promise<BeatReceipt> {
    if (this.length >= MAX_QUEUED_BEATS)
      throw new Fault('overloaded', 'The beat queue is full. Send the beat again.', {
        retryAfterMs: RETRY_MS,
      });
    const answer = Promise.withResolvers<BeatReceipt>();
    this.#waiting.push({ call, since: this.#options.clock.monotonic(), answer });
    this.#running ??= this.#run();
    return answer.promise;
  }

  /** Resolves when every beat that was added so far has a response. */
  async flush(): Promise<void> {
    while (this.#running || this.#deferred.length > 0) {
      this.#requeueDeferred();
      await this.#running;
    }
  }

  async #run(): Promise<void> {
    // Beats that arrive in the same turn of the event loop share a commit.
    await nextTurn();
    while (this.#waiting.length > 0) {
      this.#rejectStale();
      this.#inFlight = this.#waiting.splice(0, this.#batch);
      if (this.#inFlight.length > 0) await this.#write(this.#inFlight);
      this.#inFlight = [];
    }
    this.#running = null;
  }

  async #write(batch: readonly QueuedBeat[]): Promise<void> {
    let kept: (BeatReceipt | null)[] = [];
    try {
      kept = await this.#options.applyOptimistically(batch.map(({ call }) => call));
    } catch (error) {
      if (isDatabaseUnavailable(error)) return this.#rejectBatch(batch, error);
      this.#options.log.error(
        { err: error },
        'batch of beats could not be written; retrying with the monitor rows locked',
      );
    }
    const left: QueuedBeat[] = [];
    for (const [at, one] of batch.entries()) {
      const answer = kept[at];
      if (answer) one.answer.resolve(answer);
      else left.push(one);
    }
    if (left.length > 0) await this.#commit(left);
  }

  async #commit(batch: readonly QueuedBeat[]): Promise<void> {
    try {
      this.#resolveBatch(batch, await this.#options.commit(batch.map(({ call }) => call)));
    } catch (error) {
      if (isDatabaseUnavailable(error) || batch.length === 1) return this.#rejectBatch(batch, error);
      // A beat that cannot be written must not cause the rejection of others.
      this.#options.log.error(
        { err: error },
        'batch of beats could not be written; writing its beats one at a time',
      );
      for (const one of batch) await this.#commit([one]);
    }
  }

  #resolveBatch(batch: readonly QueuedBeat[], results: readonly BeatResult[]): void {
    for (const [at, one] of batch.entries()) {
      const result = results[at] ?? 'unknown';
      if (result === 'later') this.#deferred.push(one);
      else if (result === 'unknown') one.answer.reject(monitorNotFound(one.call));
      else one.answer.resolve(result);
    }
    if (this.#deferred.length > 0)
      this.#deferredTimer ??= this.#options.clock.after(DEFERRED_RETRY_MS, () => this.#requeueDeferred());
  }

  /** Puts deferred beats back at the start of the queue. */
  #requeueDeferred(): void {
    this.#deferredTimer?.cancel();
    this.#deferredTimer = null;
    if (this.#deferred.length === 0) return;
    this.#waiting.unshift(...this.#deferred);
    this.#deferred = [];
    this.#running ??= this.#run();
  }

  #rejectBatch(batch: readonly QueuedBeat[], error: unknown): void {
    for (const { answer } of batch) answer.reject(error);
  }

  #rejectStale(): void {
    const before = this.#options.clock.monotonic() - MAX_QUEUE_WAIT_MS;
    const stale = this.#waiting.filter(({ since }) => since < before);
    if (stale.length === 0) return;
    this.#waiting = this.#waiting.filter(({ since }) => since >= before);
    const fault = new Fault('overloaded', 'The beat could not be written in time. Send it again.', {
      retryAfterMs: RETRY_MS,
    });
    this.#rejectBatch(stale, fault);
  }
}

/** Returns whether the database cannot write at all. Any other error may be caused by a single beat. */
function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.code === 'overloaded';
}

function monitorNotFound({ address }: ReceivedBeat): Fault {
  const message =
    'id' in address
      ? `There is no monitor "${address.id.slice(0, 100)}" in this organization. Create it, or check monitor_id.`
      : 'No monitor has this beat URL. It may have been rotated. Copy the current URL from the monitor.';
  return new Fault('monitor_not_found', message, 'id' in address ? { param: 'monitor_id' } : {});
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
