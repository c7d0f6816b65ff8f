import { randomBytes } from 'node:crypto';
import type { Clock as SystemClock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { recordMonitoringPulse } from '../store/monitoring/monitoring-pulse.ts';
import type {
  MonitoringPulseInput,
  MonitoringPulseResult,
} from '../store/monitoring/monitoring-pulse-values.ts';
import type { Database } from '../store/ports.ts';
import type { AvailabilityGap } from './monitor-state.ts';
import { rewindMonitorStates } from './rewind-monitor-states.ts';
import { StallDetector } from './stall-detector.ts';

/**
 * How often a process records that it is running, in milliseconds. The sweep that follows detects
 * missed beats.
 */
export const PULSE_INTERVAL_MS = 1_000;
/**
 * If no process records that it is running for longer than this, the time span is a gap. The cause
 * may be that the database was unavailable or that beats were rejected. In milliseconds.
 */
export const MONITORING_GAP_THRESHOLD_MS = 3_500;
/**
 * How long clients wait for a response, in milliseconds. A process that was blocked for a shorter
 * time has still received their beats.
 */
export const BEAT_CLIENT_TIMEOUT_MS = 10_000;

/** A pulse that took longer does not update the estimate of the database time. */
const MAX_PRECISE_PULSE_MS = 50;

const CLOCK_SET_AHEAD =
  'clock was set forward, or this machine was suspended; monitoring records the skipped time as a gap';
const CLOCK_SET_BACK = 'clock was set back; records with later times were moved back to the new time';

export interface ProcessPulseOptions {
  readonly database: Pick<Database, 'isShared' | 'rowTransaction'>;
  /**
   * Identifies this process in leases. A process that replaces one that has certainly ended uses the same
   * id.
   */
  readonly processId?: string;
  readonly clock: SystemClock;
  readonly log: Log;
  /** When the oldest beat that is not committed was received. Null if there is none. */
  readonly oldestPendingAt: () => number | null;
  /** Runs after each pulse, before the next one is scheduled. */
  readonly afterPulse: (pulse: ProcessPulse) => Promise<void>;
}

/**
 * Regularly records in the database that this process is running, and estimates the database
 * server's time. Nothing is evaluated for a time later than the last record. A process that was
 * suspended or had no database therefore detects the gap before it evaluates monitors.
 */
export class ProcessPulse {
  readonly #options: ProcessPulseOptions;
  readonly #processId: string;
  readonly #stalls: StallDetector;
  #offsetMs: number | null = null;
  #lastNow = 0;
  #pulsedAt = Number.NEGATIVE_INFINITY;
  #gaps: readonly AvailabilityGap[] = [];
  #committedUntil = 0;
  #peersCommittedUntil = 0;
  #timer: Timer | null = null;
  #inFlight: Promise<void> | null = null;
  #loop: Promise<void> = Promise.resolve();
  #closed = false;
  /** Since when this process accepts beats, in database time. Null before. */
  #startedAt: number | null = null;
  #isAnnounced = false;
  /** Whether a pulse failed or a beat was rejected since the last pulse. */
  #hasRejected = false;

  constructor(options: ProcessPulseOptions) {
    this.#options = options;
    this.#processId = options.processId ?? randomBytes(8).toString('hex');
    this.#stalls = new StallDetector(options.clock, BEAT_CLIENT_TIMEOUT_MS);
  }

  /**
   * Database time in milliseconds. Decreases only if the database clock is set back. @throws Error before
   * the first pulse.
   */
  now(): number {
    if (this.#offsetMs === null) throw new Error('the first pulse has not completed yet');
    this.#lastNow = Math.max(this.#lastNow, Math.floor(this.#options.clock.monotonic() + this.#offsetMs));
    return this.#lastNow;
  }

  /**
   * How many milliseconds ago a beat that is read now may have been received. Above 0 after this process
   * was blocked.
   */
  maxReceiveDelayMs(): number {
    return this.#stalls.maxReceiveDelayMs();
  }

  /** Records that a beat was rejected, so that its sender did not reach Floe. */
  recordRejection(): void {
    this.#hasRejected = true;
  }

  /** Spans in which no process accepted beats, in order, as of the last pulse. */
  get gaps(): readonly AvailabilityGap[] {
    return this.#gaps;
  }

  /**
   * All processes have committed the beats that they accepted before this time, so evaluation may continue
   * until then. Never inside a gap, as it would be after the clock was set forward: the two halves would
   * give two windows.
   */
  get committedUntil(): number {
    const until = this.#committedUntil;
    const inside = this.#gaps.findLast(({ startAt, endAt }) => startAt < until && until < endAt);
    return inside ? inside.startAt : until;
  }

  /** Same as `committedUntil`, but only for the other processes. */
  get peersCommittedUntil(): number {
    return this.#peersCommittedUntil;
  }

  /**
   * Sends the first pulse, which sets the time. This process does not accept beats yet. @throws Fault if
   * the database is unavailable.
   */
  async prepare(): Promise<void> {
    if (this.#offsetMs === null) await this.send();
  }

  /**
   * From now on this process accepts beats. Sends a pulse now and then every second. @throws Fault if the
   * database is unavailable.
   */
  async start(): Promise<void> {
    await this.#inFlight;
    this.#isAnnounced = true;
    await this.send();
    this.#stalls.start();
    this.#next();
  }

  /**
   * Resolves when the last pulse is recent, and sends one if necessary. Required before any evaluation.
   *
   * @throws Fault if the database is unavailable.
   */
  async ensureFresh(): Promise<void> {
    const age = this.#options.clock.monotonic() - this.#pulsedAt;
    if (age > MONITORING_GAP_THRESHOLD_MS - PULSE_INTERVAL_MS) await this.send();
  }

  /** Sends a pulse. Concurrent callers share it. */
  send(): Promise<void> {
    this.#inFlight ??= this.#send(this.#closed).finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  /** Stops and releases the lease, so that other processes do not wait for beats of this one. */
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
    let taken: MonitoringPulseResult;
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

  #write(presence: MonitoringPulseInput['presence']): Promise<MonitoringPulseResult> {
    const { database, clock, oldestPendingAt } = this.#options;
    const estimateMs = this.#estimate();
    const oldest = oldestPendingAt();
    // Read both clocks together, because the transaction may wait for its turn.
    const wallMs = clock.now();
    const unread = estimateMs === null ? 0 : estimateMs - this.maxReceiveDelayMs();
    const given: MonitoringPulseInput = {
      processId: this.#processId,
      wallMs,
      estimateNowMs: database.isShared ? () => this.#estimate() : () => estimateMs,
      acceptedUntilMs: estimateMs === null ? null : Math.min(unread, oldest ?? estimateMs),
      gapThresholdMs: this.#hasRejected
        ? MONITORING_GAP_THRESHOLD_MS
        : BEAT_CLIENT_TIMEOUT_MS + PULSE_INTERVAL_MS,
      leaseTimeoutMs: BEAT_CLIENT_TIMEOUT_MS + PULSE_INTERVAL_MS,
      presence,
      startedAt: this.#startedAt,
      gapsUntilMs: this.#gaps.at(-1)?.endAt ?? 0,
    };
    return database.rowTransaction(async (writer) => {
      const taken = await recordMonitoringPulse(writer, given);
      if (taken.futureMs > 0) await rewindMonitorStates(writer, taken.nowMs, taken.futureMs);
      return taken;
    });
  }

  #estimate(): number | null {
    return this.#offsetMs === null ? null : this.now();
  }

  /** The clock was set back, so the state of later times is discarded. */
  #rewind(): void {
    this.#offsetMs = null;
    this.#lastNow = 0;
    this.#committedUntil = 0;
    this.#gaps = [];
  }

  /**
   * SQLite has the time of this process, taken before the statement. A shared database read its clock at
   * some time between the two instants.
   */
  #setTime(nowMs: number, before: number, after: number): void {
    const { isShared } = this.#options.database;
    const offset = nowMs - (isShared ? (before + after) / 2 : before);
    const known = this.#offsetMs;
    const rough = isShared && after - before > MAX_PRECISE_PULSE_MS;
    if (known === null || !rough || Math.abs(offset - known) > after - before) this.#offsetMs = offset;
  }
}
