import { randomBytes } from 'node:crypto';
import type { Clock as SystemClock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type PulseInput, type PulseResult, recordPulse } from '../store/monitoring/process-pulse.ts';
import type { Database } from '../store/ports.ts';
import type { Gap } from './monitor-clock.ts';
import { rewindClocks } from './rewind-clocks.ts';
import { StallDetector } from './stall-detector.ts';

/** How often a process says that it is there; misses are found by the sweep that follows. */
export const PULSE_INTERVAL_MS = 1_000;
/** Longer than this without any pulse while the store or beats were refused: a gap of ours. */
export const GAP_THRESHOLD_MS = 3_500;
/** Clients wait this long for an answer: a process that only stood still was there for them until then. */
export const CLIENT_TIMEOUT_MS = 10_000;

/** A pulse that took longer than this says little about the database's clock. */
const MAX_PRECISE_PULSE_MS = 50;

const CLOCK_SET_AHEAD =
  'clock was set forward, or this machine was suspended; monitoring records the skipped time as a gap';
const CLOCK_SET_BACK = 'clock was set back; records with later times were moved back to the new time';

export interface ProcessPulseOptions {
  readonly database: Pick<Database, 'isShared' | 'rowTransaction'>;
  /** Names this process in leases. One that takes the place of another that is gone for certain has its name. */
  readonly processId?: string;
  readonly clock: SystemClock;
  readonly log: Log;
  /** When the oldest beat that was accepted and is not committed was received; null for none. */
  readonly oldestPendingAt: () => number | null;
  /** Runs after each pulse, before the next one is set. */
  readonly afterPulse: (pulse: ProcessPulse) => Promise<void>;
}

/**
 * The life sign of this process and its idea of the database's time. Nothing is judged beyond the last pulse: a process
 * that was suspended first finds out that it was, and so does one whose database was away.
 */
export class ProcessPulse {
  readonly #options: ProcessPulseOptions;
  readonly #processId: string;
  readonly #stalls: StallDetector;
  #offsetMs: number | null = null;
  #lastNow = 0;
  #pulsedAt = Number.NEGATIVE_INFINITY;
  #gaps: readonly Gap[] = [];
  #committedUntil = 0;
  #peersCommittedUntil = 0;
  #timer: Timer | null = null;
  #inFlight: Promise<void> | null = null;
  #loop: Promise<void> = Promise.resolve();
  #closed = false;
  /** Since when this process can be reached, in database time; null before. */
  #startedAt: number | null = null;
  #isAnnounced = false;
  /** Whether since the last pulse a pulse failed or a beat was refused. */
  #hasRejected = false;

  constructor(options: ProcessPulseOptions) {
    this.#options = options;
    this.#processId = options.processId ?? randomBytes(8).toString('hex');
    this.#stalls = new StallDetector(options.clock, CLIENT_TIMEOUT_MS);
  }

  /** Time of the database, in milliseconds; goes back only when its clock is set. @throws Error before the first pulse. */
  now(): number {
    if (this.#offsetMs === null) throw new Error('the first pulse has not completed yet');
    this.#lastNow = Math.max(this.#lastNow, Math.floor(this.#options.clock.monotonic() + this.#offsetMs));
    return this.#lastNow;
  }

  /** How long ago what is read now may have been received, in milliseconds: above 0 after a stall of this process. */
  maxReceiveDelayMs(): number {
    return this.#stalls.maxReceiveDelayMs();
  }

  /** A beat was refused: whoever sent it did not reach us. */
  recordRejection(): void {
    this.#hasRejected = true;
  }

  /** Spans in which no process was there, in order, as of the last pulse. */
  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /**
   * All processes have committed what they accepted before it: judge no further. Never inside a gap, as it would be
   * after a clock was set forward: a gap is one thing, and judged as two halves it would give two windows.
   */
  get committedUntil(): number {
    const until = this.#committedUntil;
    const inside = this.#gaps.findLast(({ startAt, endAt }) => startAt < until && until < endAt);
    return inside ? inside.startAt : until;
  }

  /** The same of the other processes alone. */
  get peersCommittedUntil(): number {
    return this.#peersCommittedUntil;
  }

  /** Takes the first pulse: from here on there is a time, but this process counts as away. @throws Fault when the database is away. */
  async prepare(): Promise<void> {
    if (this.#offsetMs === null) await this.send();
  }

  /** From here on this process can be reached: a pulse now, and then one every second. @throws Fault when the database is away. */
  async start(): Promise<void> {
    await this.#inFlight;
    this.#isAnnounced = true;
    await this.send();
    this.#stalls.start();
    this.#next();
  }

  /**
   * Resolves when the last pulse is recent, taking one if it is not: only then may anything be judged.
   *
   * @throws Fault when the database is away.
   */
  async ensureFresh(): Promise<void> {
    const age = this.#options.clock.monotonic() - this.#pulsedAt;
    if (age > GAP_THRESHOLD_MS - PULSE_INTERVAL_MS) await this.send();
  }

  /** One pulse; callers at the same time share it. */
  send(): Promise<void> {
    this.#inFlight ??= this.#send(this.#closed).finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  /** Stops, and gives up the lease: from now on nobody waits for beats of this process. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    this.#stalls.stop();
    await this.#loop;
    await this.#send(true).catch((error: unknown) => {
      this.#options.log.warn(
        { err: error },
        'monitoring lease could not be released; it expires automatically',
      );
    });
  }

  #next(): void {
    this.#timer = this.#options.clock.after(PULSE_INTERVAL_MS, () => {
      this.#loop = this.#turn();
    });
  }

  async #turn(): Promise<void> {
    try {
      await this.send();
      await this.#options.afterPulse(this);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'monitoring is waiting for the database');
    }
    if (!this.#closed) this.#next();
  }

  async #send(isLeaving: boolean): Promise<void> {
    const { clock, log } = this.#options;
    const presence = isLeaving ? 'leaving' : this.#isAnnounced ? 'present' : 'arriving';
    const before = clock.monotonic();
    let taken: PulseResult;
    try {
      taken = await this.#write(presence);
    } catch (error) {
      this.#hasRejected = true;
      throw error;
    }
    const after = clock.monotonic();
    const { nowMs, clockJumpMs, futureMs } = taken;
    if (clockJumpMs !== 0) {
      const fields = { stepped_seconds: clockJumpMs / 1_000, recorded_ahead_seconds: futureMs / 1_000 };
      log.warn(fields, clockJumpMs > 0 ? CLOCK_SET_AHEAD : CLOCK_SET_BACK);
    }
    if (clockJumpMs < 0) this.#rewind();
    const gaps = new Map(this.#gaps.map((gap) => [gap.startAt, gap]));
    for (const gap of taken.gaps) gaps.set(gap.startAt, gap);
    this.#gaps = [...gaps.values()].sort((one, other) => one.startAt - other.startAt);
    this.#setTime(nowMs, before, after);
    this.#committedUntil = Math.max(this.#committedUntil, taken.committedUntil);
    this.#peersCommittedUntil = taken.peersCommittedUntil;
    this.#pulsedAt = after;
    this.#hasRejected = false;
    if (presence === 'present') this.#startedAt ??= nowMs;
  }

  #write(presence: PulseInput['presence']): Promise<PulseResult> {
    const { database, clock, oldestPendingAt } = this.#options;
    const estimateMs = this.#estimate();
    const oldest = oldestPendingAt();
    // Both clocks in one instant: the transaction may have to wait for its turn.
    const wallMs = clock.now();
    const unread = estimateMs === null ? 0 : estimateMs - this.maxReceiveDelayMs();
    const given: PulseInput = {
      processId: this.#processId,
      wallMs,
      estimateNowMs: database.isShared ? () => this.#estimate() : () => estimateMs,
      acceptedUntilMs: estimateMs === null ? null : Math.min(unread, oldest ?? estimateMs),
      gapThresholdMs: this.#hasRejected ? GAP_THRESHOLD_MS : CLIENT_TIMEOUT_MS + PULSE_INTERVAL_MS,
      leaseTimeoutMs: CLIENT_TIMEOUT_MS + PULSE_INTERVAL_MS,
      presence,
      startedAt: this.#startedAt,
      gapsUntilMs: this.#gaps.at(-1)?.endAt ?? 0,
    };
    return database.rowTransaction(async (writer) => {
      const taken = await recordPulse(writer, given);
      if (taken.futureMs > 0) await rewindClocks(writer, taken.nowMs, taken.futureMs);
      return taken;
    });
  }

  #estimate(): number | null {
    return this.#offsetMs === null ? null : this.now();
  }

  /** The clock was set back: what was known of later times is known no more. */
  #rewind(): void {
    this.#offsetMs = null;
    this.#lastNow = 0;
    this.#committedUntil = 0;
    this.#gaps = [];
  }

  /** A store of our own has our wall clock's time, taken before; a shared one's was read somewhere between the two instants. */
  #setTime(nowMs: number, before: number, after: number): void {
    const { isShared } = this.#options.database;
    const offset = nowMs - (isShared ? (before + after) / 2 : before);
    const known = this.#offsetMs;
    const rough = isShared && after - before > MAX_PRECISE_PULSE_MS;
    if (known === null || !rough || Math.abs(offset - known) > after - before) this.#offsetMs = offset;
  }
}
