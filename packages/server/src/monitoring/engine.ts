import { Fault } from '@floe/contract/faults';
import { pause, type Clock as SystemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { isAnyDue } from '../store/monitoring/clocks.ts';
import { expireBeatKeys } from '../store/monitoring/history.ts';
import type { Store } from '../store/open-database.ts';
import type { BeatAnswer, BeatCall, Sight as BeatSight } from './beat-call.ts';
import { BeatQueue } from './beat-queue.ts';
import { commitBeats } from './beats.ts';
import type { MonitoringFigures } from './figures.ts';
import { KnownClocks } from './known-clocks.ts';
import { Pulse } from './pulse.ts';
import { keepQuietBeats } from './quiet-beats.ts';
import type { Sight } from './read.ts';
import { CLOCKS_PER_SWEEP, sweep } from './sweep.ts';

/** Idempotency keys are known this long. */
const KEYS_KEPT_MS = 48 * 60 * 60 * 1000;
/** How long a change waits before it asks again how far the other processes are, and how often; they say so every second. */
const SETTLE_MS = 100;
const SETTLE_TRIES = 25;
const KEYS_EVERY_MS = 60 * 60 * 1000;

export interface EngineParts {
  readonly database: Store;
  readonly clock: SystemClock;
  readonly log: Log;
  readonly figures: MonitoringFigures;
  /** See `PulseParts`. */
  readonly processId?: string;
  /** Beats of one transaction; for measurements. */
  readonly batch?: number;
}

/** Takes beats and finds those that are missing. Any number of processes run one each on a shared store. */
export class MonitoringEngine {
  readonly #parts: EngineParts;
  readonly #queue: BeatQueue;
  readonly #pulse: Pulse;
  readonly #clocks = new KnownClocks();
  #keysExpiredAt = Number.NEGATIVE_INFINITY;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    const { database, clock, log, batch, processId } = parts;
    this.#queue = new BeatQueue({
      clock,
      log,
      keep: (calls) => this.#keep(calls),
      commit: (calls) => this.#commit(calls),
      ...(batch === undefined ? {} : { batch }),
    });
    this.#pulse = new Pulse({
      database,
      clock,
      log,
      ...(processId === undefined ? {} : { processId }),
      oldestPending: () => this.#queue.oldest(),
      afterwards: () => this.#sweepAll(),
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
  sight(): Sight {
    const { gaps, settledUntil } = this.#pulse;
    return { gaps, settledUntil, nowMs: this.#pulse.now() };
  }

  /**
   * What a change of monitors needs to know: the time, until when everything is accounted for, and our own gaps. Waits
   * for what may still come for a deadline that has just passed, so that a change does not undo the miss.
   *
   * @throws Fault when the database is away.
   */
  async moment(): Promise<Sight> {
    const { database, clock } = this.#parts;
    await this.#pulse.fresh();
    const asked = this.#pulse.now();
    // One that is under way may have begun before.
    for (let pulses = 0; pulses < 2 && this.#pulse.settledUntil < asked; pulses++) await this.#pulse.take();
    for (let tries = 0; tries < SETTLE_TRIES && this.#pulse.settledUntil < asked; tries++) {
      if (!(await isAnyDue(database.read, asked))) break;
      await pause(clock, SETTLE_MS);
      await this.#pulse.take();
    }
    return this.sight();
  }

  /** Beats that are not committed yet. */
  get pending(): number {
    return this.#queue.length;
  }

  /**
   * Takes one beat, received now; resolves when it is committed.
   *
   * @throws Fault `monitor_not_found`, or `overloaded` with the time to wait.
   */
  async beat(call: Omit<BeatCall, 'receivedAt' | 'heardFrom'>): Promise<BeatAnswer> {
    const { figures } = this.#parts;
    const receivedAt = this.#pulse.now();
    const waitedMs = this.#pulse.waitedMs();
    const heard = waitedMs > 0 ? { heardFrom: receivedAt - waitedMs } : {};
    try {
      const answer = await this.#queue.add({ ...call, ...heard, receivedAt });
      figures.beat(call.kind);
      return answer;
    } catch (error) {
      figures.beat('refused');
      if (error instanceof Fault && error.code === 'overloaded') this.#pulse.noteRefusal();
      throw error;
    }
  }

  /** A pulse and the sweep after it, now instead of within the second; for tests and measurements. */
  async lookNow(): Promise<void> {
    await this.#pulse.take();
    await this.#sweepAll();
  }

  /**
   * Answers what is under way and says that this process is gone: what is due from now on is not held against anybody.
   * Beats that still come on open connections are taken.
   */
  async leave(): Promise<void> {
    await this.#queue.flush();
    await this.#pulse.close();
  }

  /** Resolves when every beat taken is answered. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  async #keep(calls: readonly BeatCall[]): Promise<(BeatAnswer | null)[]> {
    await this.#pulse.fresh();
    const sight = this.#sightOfBeats();
    if (sight.othersUntil !== Number.POSITIVE_INFINITY) return [];
    return keepQuietBeats(this.#parts.database, notAhead(calls, sight.nowMs), sight, this.#clocks);
  }

  async #commit(calls: readonly BeatCall[]) {
    await this.#pulse.fresh();
    const sight = this.#sightOfBeats();
    return commitBeats(this.#parts.database, notAhead(calls, sight.nowMs), sight, this.#clocks);
  }

  #sightOfBeats(): BeatSight {
    const { gaps, othersUntil } = this.#pulse;
    return { nowMs: this.#pulse.now(), gaps, othersUntil };
  }

  async #sweepAll(): Promise<void> {
    const { database, figures, clock } = this.#parts;
    for (;;) {
      const swept = await sweep(database, this.sight());
      figures.sweep(swept);
      if (swept.clocks < CLOCKS_PER_SWEEP) break;
      // A long sweep must not make this process look dead.
      await this.#pulse.fresh();
    }
    if (clock.monotonic() - this.#keysExpiredAt < KEYS_EVERY_MS) return;
    this.#keysExpiredAt = clock.monotonic();
    await expireBeatKeys(database, this.#pulse.now() - KEYS_KEPT_MS);
  }
}

/** Beats that waited while the clock was set back were received just now. */
function notAhead(calls: readonly BeatCall[], nowMs: number): readonly BeatCall[] {
  if (calls.every(({ receivedAt }) => receivedAt <= nowMs)) return calls;
  return calls.map((call) => (call.receivedAt <= nowMs ? call : { ...call, receivedAt: nowMs }));
}
