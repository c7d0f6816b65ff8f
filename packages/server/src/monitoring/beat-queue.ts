import { Fault } from '@floe/contract/faults';
import type { Clock as SystemClock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { BeatAnswer, BeatCall } from './beat-call.ts';
import type { BeatResult } from './beats.ts';

/** Beats of one transaction. */
export const BATCH = 200;
/** Beats that wait at most; the next one is told to come again. */
export const QUEUE = 20_000;
/** A beat that waited as long as clients do is refused, so that the others' judgements need not wait for it. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 1_000;
/** When beats that wait for other processes are tried again; those say once a second how far they are. */
const LATER_MS = 250;

interface Waiting {
  readonly call: BeatCall;
  readonly since: number;
  readonly answer: PromiseWithResolvers<BeatAnswer>;
}

export interface BeatQueueParts {
  readonly clock: SystemClock;
  readonly log: Log;
  /** Writes those that find out nothing, null for the others; rejects when nothing is written. */
  readonly keep: (calls: readonly BeatCall[]) => Promise<(BeatAnswer | null)[]>;
  /** Writes the others; rejects when nothing of it is written. */
  readonly commit: (calls: readonly BeatCall[]) => Promise<BeatResult[]>;
  /** Beats of one transaction; `BATCH` unless given. */
  readonly batch?: number;
}

/**
 * Beats on their way to the database. While one batch commits the next one gathers: under load a commit is shared by up
 * to 200 beats, and a lone beat waits for nobody. A beat is answered when it is committed, never before.
 */
export class BeatQueue {
  readonly #parts: BeatQueueParts;
  readonly #batch: number;
  #waiting: Waiting[] = [];
  #underWay: readonly Waiting[] = [];
  #later: Waiting[] = [];
  #laterTimer: Timer | null = null;
  #running: Promise<void> | null = null;

  constructor(parts: BeatQueueParts) {
    this.#parts = parts;
    this.#batch = parts.batch ?? BATCH;
  }

  /** Beats that are not committed yet. */
  get length(): number {
    return this.#waiting.length + this.#underWay.length + this.#later.length;
  }

  /** When the oldest of them was received; null when there is none. */
  oldest(): number | null {
    let oldest: number | null = null;
    for (const list of [this.#waiting, this.#underWay, this.#later])
      for (const { call } of list) if (oldest === null || call.receivedAt < oldest) oldest = call.receivedAt;
    return oldest;
  }

  /**
   * Resolves when the beat is committed.
   *
   * @throws Fault `monitor_not_found`; `overloaded` when the queue is full or the database is away.
   */
  add(call: BeatCall): Promise<BeatAnswer> {
    if (this.length >= QUEUE)
      throw new Fault('overloaded', 'More beats arrive than can be written; send it again.', {
        retryAfterMs: RETRY_MS,
      });
    const answer = Promise.withResolvers<BeatAnswer>();
    this.#waiting.push({ call, since: this.#parts.clock.monotonic(), answer });
    this.#running ??= this.#run();
    return answer.promise;
  }

  /** Resolves when everything added so far is answered. */
  async flush(): Promise<void> {
    while (this.#running || this.#later.length > 0) {
      this.#again();
      await this.#running;
    }
  }

  async #run(): Promise<void> {
    // What arrives in the same turn of the event loop goes into the same commit.
    await nextTurn();
    while (this.#waiting.length > 0) {
      this.#refuseStale();
      this.#underWay = this.#waiting.splice(0, this.#batch);
      if (this.#underWay.length > 0) await this.#write(this.#underWay);
      this.#underWay = [];
    }
    this.#running = null;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    let kept: (BeatAnswer | null)[] = [];
    try {
      kept = await this.#parts.keep(batch.map(({ call }) => call));
    } catch (error) {
      if (isAway(error)) return this.#refuse(batch, error);
      this.#parts.log.error({ err: error }, 'a batch of beats failed; writing it under lock');
    }
    const left: Waiting[] = [];
    for (const [at, one] of batch.entries()) {
      const answer = kept[at];
      if (answer) one.answer.resolve(answer);
      else left.push(one);
    }
    if (left.length > 0) await this.#commit(left);
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      this.#settle(batch, await this.#parts.commit(batch.map(({ call }) => call)));
    } catch (error) {
      if (isAway(error) || batch.length === 1) return this.#refuse(batch, error);
      // One beat that cannot be written must not refuse the others.
      this.#parts.log.error({ err: error }, 'a batch of beats failed; writing them one by one');
      for (const one of batch) await this.#commit([one]);
    }
  }

  #settle(batch: readonly Waiting[], results: readonly BeatResult[]): void {
    for (const [at, one] of batch.entries()) {
      const result = results[at] ?? 'unknown';
      if (result === 'later') this.#later.push(one);
      else if (result === 'unknown') one.answer.reject(unknownMonitor(one.call));
      else one.answer.resolve(result);
    }
    if (this.#later.length > 0) this.#laterTimer ??= this.#parts.clock.after(LATER_MS, () => this.#again());
  }

  /** Beats that waited for other processes go first. */
  #again(): void {
    this.#laterTimer?.cancel();
    this.#laterTimer = null;
    if (this.#later.length === 0) return;
    this.#waiting.unshift(...this.#later);
    this.#later = [];
    this.#running ??= this.#run();
  }

  #refuse(batch: readonly Waiting[], error: unknown): void {
    for (const { answer } of batch) answer.reject(error);
  }

  #refuseStale(): void {
    const before = this.#parts.clock.monotonic() - PATIENCE_MS;
    const stale = this.#waiting.filter(({ since }) => since < before);
    if (stale.length === 0) return;
    this.#waiting = this.#waiting.filter(({ since }) => since >= before);
    const fault = new Fault('overloaded', 'The beat could not be written in time; send it again.', {
      retryAfterMs: RETRY_MS,
    });
    this.#refuse(stale, fault);
  }
}

/** The database takes nothing now; any other fault may be that of one beat among many. */
function isAway(error: unknown): boolean {
  return error instanceof Fault && error.code === 'overloaded';
}

function unknownMonitor({ address }: BeatCall): Fault {
  const message =
    'id' in address
      ? `There is no monitor "${address.id.slice(0, 100)}" in this organization. Create it, or check monitor_id.`
      : 'No monitor has this beat URL. It may have been rotated; copy it again.';
  return new Fault('monitor_not_found', message, 'id' in address ? { param: 'monitor_id' } : {});
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
