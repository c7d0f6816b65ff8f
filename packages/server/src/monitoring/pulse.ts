import { randomBytes } from 'node:crypto';
import type { Clock as SystemClock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { takePulse } from '../store/monitoring/pulse.ts';
import type { Database } from '../store/ports.ts';
import type { Gap } from './clock.ts';

/** How often a process says that it is there; misses are found by the sweep that follows. */
export const PULSE_MS = 1_000;
/** Longer than this without any process: a gap of ours, in which nobody could be heard. */
export const SILENCE_MS = 3_500;

/** A pulse that took longer than this says little about the database's clock. */
const ROUGH_MS = 50;

export interface PulseParts {
  readonly database: Pick<Database, 'engine' | 'rowTransaction'>;
  readonly clock: SystemClock;
  readonly log: Log;
  /** When the oldest beat that was accepted and is not committed was received; null for none. */
  readonly oldestPending: () => number | null;
  /** Runs after each pulse, before the next one is set. */
  readonly afterwards: (pulse: Pulse) => Promise<void>;
}

/**
 * The life sign of this process and its idea of the database's time. Nothing is judged beyond the last pulse: a process
 * that was suspended first finds out that it was, and so does one whose database was away.
 */
export class Pulse {
  readonly #parts: PulseParts;
  readonly #processId = randomBytes(8).toString('hex');
  #offsetMs: number | null = null;
  #lastNow = 0;
  #pulsedAt = Number.NEGATIVE_INFINITY;
  #gaps: readonly Gap[] = [];
  #settledUntil = 0;
  #othersUntil = 0;
  #timer: Timer | null = null;
  #underWay: Promise<void> | null = null;
  #loop: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: PulseParts) {
    this.#parts = parts;
  }

  /** Time of the database, in milliseconds; never goes back. @throws Error before the first pulse. */
  now(): number {
    if (this.#offsetMs === null) throw new Error('the first pulse was not taken yet');
    this.#lastNow = Math.max(this.#lastNow, Math.floor(this.#parts.clock.monotonic() + this.#offsetMs));
    return this.#lastNow;
  }

  /** Spans in which no process was there, in order, as of the last pulse. */
  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /**
   * All processes have committed what they accepted before it: judge no further. Never inside a gap, as it would be
   * after a clock was set forward: a gap is one thing, and judged as two halves it would give two windows.
   */
  get settledUntil(): number {
    const until = this.#settledUntil;
    const inside = this.#gaps.findLast(({ startAt, endAt }) => startAt < until && until < endAt);
    return inside ? inside.startAt : until;
  }

  /** The same of the other processes alone. */
  get othersUntil(): number {
    return this.#othersUntil;
  }

  /** Takes the first pulse, and then one every second. @throws Fault when the database is away. */
  async start(): Promise<void> {
    await this.take();
    this.#next();
  }

  /**
   * Resolves when the last pulse is recent, taking one if it is not: only then may anything be judged.
   *
   * @throws Fault when the database is away.
   */
  async fresh(): Promise<void> {
    const age = this.#parts.clock.monotonic() - this.#pulsedAt;
    if (age > SILENCE_MS - PULSE_MS) await this.take();
  }

  /** One pulse; callers at the same time share it. */
  take(): Promise<void> {
    this.#underWay ??= this.#take(this.#closed).finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  /** Stops, and gives up the lease: from now on nobody waits for beats of this process. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#loop;
    await this.#take(true).catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'the monitoring lease could not be given up; it ends by itself');
    });
  }

  #next(): void {
    this.#timer = this.#parts.clock.after(PULSE_MS, () => {
      this.#loop = this.#turn();
    });
  }

  async #turn(): Promise<void> {
    try {
      await this.take();
      await this.#parts.afterwards(this);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'monitoring waits for the database');
    }
    if (!this.#closed) this.#next();
  }

  async #take(ending: boolean): Promise<void> {
    const { database, clock, oldestPending } = this.#parts;
    const estimateMs = this.#offsetMs === null ? null : this.now();
    const oldest = oldestPending();
    // Both clocks in one instant: the transaction may have to wait for its turn.
    const before = clock.monotonic();
    const wallMs = clock.now();
    const taken = await database.rowTransaction((writer) =>
      takePulse(writer, database.engine, {
        processId: this.#processId,
        wallMs,
        estimateMs,
        acceptedUntilMs: estimateMs === null ? null : Math.min(estimateMs, oldest ?? estimateMs),
        silenceMs: SILENCE_MS,
        ending,
        gapsUntilMs: this.#gaps.at(-1)?.endAt ?? 0,
      }),
    );
    const after = clock.monotonic();
    if (taken.gaps.length > 0) this.#gaps = [...this.#gaps, ...taken.gaps];
    this.#setTime(taken.nowMs, before, after);
    this.#settledUntil = Math.max(this.#settledUntil, taken.settledUntil);
    this.#othersUntil = taken.othersUntil;
    this.#pulsedAt = after;
  }

  /** SQLite's time is our wall clock's, taken before; PostgreSQL's was read somewhere between the two instants. */
  #setTime(nowMs: number, before: number, after: number): void {
    const sqlite = this.#parts.database.engine === 'sqlite';
    const offset = nowMs - (sqlite ? before : (before + after) / 2);
    const known = this.#offsetMs;
    const rough = !sqlite && after - before > ROUGH_MS;
    if (known === null || !rough || Math.abs(offset - known) > after - before) this.#offsetMs = offset;
  }
}
