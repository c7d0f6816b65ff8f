import { Fault } from '@floe/contract/faults';
import type { Clock as SystemClock, Timer } from '../core/clock.ts';
import { FairQueue } from '../core/fair-queue.ts';
import type { Log } from '../core/log.ts';
import { isDatabaseUnavailable } from '../store/is-database-unavailable.ts';
import type { BeatResult } from './commit-beats.ts';
import type { BeatReceipt, ReceivedBeat } from './received-beat.ts';

/** The maximum number of beats in one transaction. */
export const MAX_BEATS_PER_BATCH = 200;
/**
 * The maximum number of beats that may wait. Above it, beats of the organization with the most waiting beats are
 * rejected with `overloaded`.
 */
export const MAX_QUEUED_BEATS = 20_000;
/**
 * Maximum wait. A beat that waited longer is rejected, because its client has stopped waiting, and it must
 * not delay the evaluation of other beats.
 */
const MAX_QUEUE_WAIT_MS = 10_000;
const RETRY_MS = 1_000;
/** Maximum number of beats whose organizations are looked up at once. */
const MAX_BEATS_PER_LOOKUP = 1_000;
/** Interval at which deferred beats are tried again. Other processes report their progress once a second. */
const DEFERRED_RETRY_MS = 250;

interface AcceptedBeat {
  readonly call: ReceivedBeat;
  readonly since: number;
  readonly answer: PromiseWithResolvers<BeatReceipt>;
}

interface QueuedBeat extends AcceptedBeat {
  readonly orgId: string;
}

export interface BeatQueueOptions {
  readonly clock: SystemClock;
  readonly log: Log;
  /**
   * Writes the beats that cause no missed check, new period or alert, and returns their receipts. Returns null
   * for all other beats. Rejects if nothing was written.
   */
  readonly applyOptimistically: (calls: readonly ReceivedBeat[]) => Promise<(BeatReceipt | null)[]>;
  /** Writes the beats that `applyOptimistically` did not write. Rejects if nothing was written. */
  readonly commit: (calls: readonly ReceivedBeat[]) => Promise<BeatResult[]>;
  /** Returns the organization of a beat; null if it must be looked up. */
  readonly findOrg: (call: ReceivedBeat) => string | null;
  /** Looks up the organizations of beats in the database. Returns null for each beat without a monitor. */
  readonly lookUpOrgs: (calls: readonly ReceivedBeat[]) => Promise<readonly (string | null)[]>;
  /** Number of beats in one transaction. The default is `MAX_BEATS_PER_BATCH`. */
  readonly batchSize?: number;
  /** The default is `MAX_QUEUED_BEATS`. */
  readonly maxQueued?: number;
}

/**
 * Queues beats until they are written to the database. While one batch is being committed, the
 * queue collects the next one. Under load, up to 200 beats share a commit. A single beat does not
 * wait for other beats. Organizations get equal shares of a batch, so that the beats of one do not delay those of
 * another one. If the organization of a beat is unknown, it is looked up first, so that invalid beat URLs do not delay
 * valid ones. The response to a beat is sent only after its commit.
 */
export class BeatQueue {
  readonly #options: BeatQueueOptions;
  readonly #batch: number;
  readonly #maxQueued: number;
  /** Beats whose organization is not known yet. */
  readonly #unresolved: AcceptedBeat[] = [];
  readonly #waiting = new FairQueue<QueuedBeat>();
  #inFlight: readonly QueuedBeat[] = [];
  #deferred: QueuedBeat[] = [];
  #deferredTimer: Timer | null = null;
  #resolving: Promise<void> | null = null;
  #running: Promise<void> | null = null;

  constructor(options: BeatQueueOptions) {
    this.#options = options;
    this.#batch = options.batchSize ?? MAX_BEATS_PER_BATCH;
    this.#maxQueued = options.maxQueued ?? MAX_QUEUED_BEATS;
  }

  /** Number of beats that are not committed yet. */
  get length(): number {
    return this.#unresolved.length + this.#resolvedLength;
  }

  get #resolvedLength(): number {
    return this.#waiting.length + this.#inFlight.length + this.#deferred.length;
  }

  /** Returns when the oldest beat that is not committed was received; null if there is none. */
  oldestReceivedAt(): number | null {
    let oldest: number | null = null;
    for (const list of [this.#unresolved, this.#waiting, this.#inFlight, this.#deferred])
      for (const { call } of list) if (oldest === null || call.receivedAt < oldest) oldest = call.receivedAt;
    return oldest;
  }

  /**
   * Adds a beat. Resolves when it is committed.
   * @throws Fault `monitor_not_found`; `overloaded` if the queue is full or the database is unavailable
   */
  add(call: ReceivedBeat): Promise<BeatReceipt> {
    const { clock, findOrg } = this.#options;
    const orgId = findOrg(call);
    const answer = Promise.withResolvers<BeatReceipt>();
    const beat = { call, since: clock.monotonic(), answer };
    if (orgId === null) this.#resolve(beat);
    else this.#enqueue({ ...beat, orgId });
    return answer.promise;
  }

  /** @throws Fault `overloaded` */
  #resolve(beat: AcceptedBeat): void {
    if (this.#unresolved.length >= this.#maxQueued) throw createQueueFullFault();
    this.#unresolved.push(beat);
    this.#resolving ??= this.#resolveAll();
  }

  /** @throws Fault `overloaded` */
  #enqueue(beat: QueuedBeat): void {
    if (this.#resolvedLength >= this.#maxQueued) this.#makeRoom(beat.orgId);
    this.#waiting.push(beat.orgId, beat);
    this.#running ??= this.#run();
  }

  async #resolveAll(): Promise<void> {
    // Beats that arrive in the same turn of the event loop share a lookup.
    await nextTurn();
    while (this.#unresolved.length > 0) {
      const beats = this.#unresolved.slice(0, MAX_BEATS_PER_LOOKUP);
      const orgIds = await this.#options.lookUpOrgs(beats.map(({ call }) => call)).catch((error: unknown) => {
        this.#rejectBatch(beats, error);
        return null;
      });
      this.#unresolved.splice(0, beats.length);
      if (orgIds !== null)
        for (const [at, beat] of beats.entries()) this.#enqueueResolved(beat, orgIds[at] ?? null);
    }
    this.#resolving = null;
  }

  #enqueueResolved(beat: AcceptedBeat, orgId: string | null): void {
    if (orgId === null) return beat.answer.reject(monitorNotFound(beat.call));
    try {
      this.#enqueue({ ...beat, orgId });
    } catch (error) {
      beat.answer.reject(error);
    }
  }

  /**
   * Rejects the newest waiting beat of the organization with the most beats.
   * @throws Fault `overloaded` if this is the organization of the new beat
   */
  #makeRoom(orgId: string): void {
    const fault = createQueueFullFault();
    const largest = this.#waiting.findLargestOrg();
    if (largest === undefined || this.#waiting.lengthOf(largest) <= this.#waiting.lengthOf(orgId) + 1)
      throw fault;
    this.#waiting.pop(largest)?.answer.reject(fault);
  }

  /** Resolves when every beat that was added so far has a response. */
  async flush(): Promise<void> {
    while (this.#resolving || this.#running || this.#deferred.length > 0) {
      await this.#resolving;
      this.#requeueDeferred();
      await this.#running;
    }
  }

  async #run(): Promise<void> {
    // Beats that arrive in the same turn of the event loop share a commit.
    await nextTurn();
    while (this.#waiting.length > 0) {
      this.#rejectStale();
      this.#inFlight = this.#waiting.take(this.#batch);
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
    const byOrg = Map.groupBy(this.#deferred, ({ orgId }) => orgId);
    for (const [orgId, deferred] of byOrg) this.#waiting.unshift(orgId, deferred);
    this.#deferred = [];
    this.#running ??= this.#run();
  }

  #rejectBatch(batch: readonly AcceptedBeat[], error: unknown): void {
    for (const { answer } of batch) answer.reject(error);
  }

  #rejectStale(): void {
    const before = this.#options.clock.monotonic() - MAX_QUEUE_WAIT_MS;
    const stale = this.#waiting.remove(({ since }) => since < before);
    if (stale.length === 0) return;
    const fault = new Fault('overloaded', 'The beat could not be written in time. Send the beat again.', {
      retryAfterMs: RETRY_MS,
    });
    this.#rejectBatch(stale, fault);
  }
}

function createQueueFullFault(): Fault {
  return new Fault('overloaded', 'The beat queue is full. Send the beat again.', { retryAfterMs: RETRY_MS });
}

function monitorNotFound({ address }: ReceivedBeat): Fault {
  const message =
    'id' in address
      ? `There is no monitor "${address.id.slice(0, 100)}" in this organization. Create the monitor, or check monitor_id.`
      : 'No monitor has this beat URL. The URL might have been replaced. Copy the current URL from the monitor.';
  return new Fault('monitor_not_found', message, 'id' in address ? { param: 'monitor_id' } : {});
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
