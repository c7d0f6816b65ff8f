import { randomBytes } from 'node:crypto';
import type { Clock as SystemClock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { runForServer } from '../core/org-context.ts';
import { RepeatedFailureLog } from '../core/repeated-failure-log.ts';
import { shiftFutureAlertTimes } from '../store/alert-deliveries.ts';
import { recordMonitoringLiveness } from '../store/monitoring/monitoring-liveness.ts';
import type {
  MonitoringGap,
  MonitoringLivenessReport,
  MonitoringLivenessResult,
} from '../store/monitoring/monitoring-liveness-values.ts';
import type { Database } from '../store/store-interfaces.ts';
import { logClockChange, logFailedRewinds } from './log-clock-change.ts';
import { rewindMonitorStates } from './rewind-monitor-states.ts';
import { StallDetector } from './stall-detector.ts';

/**
 * The interval at which a process records that it is running (a pulse), in milliseconds. After each pulse,
 * the process sweeps overdue monitors.
 */
export const LIVENESS_INTERVAL_MS = 1_000;
/**
 * If this process could not write to the database or rejected a beat, and no process has sent a pulse for longer
 * than this time, the time without pulses is a gap. In milliseconds.
 */
export const MONITORING_GAP_THRESHOLD_MS = 3_500;
/**
 * How long clients wait for a response, in milliseconds. A process that was blocked for a shorter time still
 * receives their beats.
 */
export const BEAT_CLIENT_TIMEOUT_MS = 10_000;

/** Maximum duration of a pulse that updates the estimate of the database time. */
const MAX_PRECISE_PULSE_MS = 50;

export interface ProcessLivenessOptions {
  readonly database: Pick<Database, 'isShared' | 'isRemote' | 'rowTransaction'>;
  /** Identifies this process in leases. A process may use the id of another one that has certainly ended. */
  readonly processId?: string;
  readonly clock: SystemClock;
  readonly log: Log;
  /** Returns when the oldest beat that is not committed was received; null if there is none. */
  readonly oldestPendingAt: () => number | null;
  /** Runs after each pulse, before the next one is scheduled. */
  readonly afterPulse: (pulse: ProcessLiveness) => Promise<void>;
}

interface WrittenPulse {
  readonly taken: MonitoringLivenessResult;
  /** The monotonic time at which this process read its clock. Null if the database server read its own. */
  readonly readAt: number | null;
  /** Number of rejections when the clock was read. Later ones belong to the next pulse. */
  readonly rejections: number;
}

/**
 * Regularly records in the database that this process is running (a pulse), and estimates the time of the
 * database server. Monitors are evaluated only for times before the last pulse. A process that was suspended,
 * or could not reach the database, therefore detects the gap before it evaluates monitors.
 */
export class ProcessLiveness {
  readonly #options: ProcessLivenessOptions;
  readonly #processId: string;
  readonly #stalls: StallDetector;
  readonly #waiting: RepeatedFailureLog;
  #offsetMs: number | null = null;
  #lastNow = 0;
  #pulsedAt = Number.NEGATIVE_INFINITY;
  #gaps: readonly MonitoringGap[] = [];
  #committedUntil = 0;
  #peersCommittedUntil = 0;
  #rewindCount = 0;
  #timer: Timer | null = null;
  #inFlight: Promise<void> | null = null;
  #loop: Promise<void> = Promise.resolve();
  #closed = false;
  /** When this process began to accept beats, in database time. Null until then. */
  #startedAt: number | null = null;
  #isAnnounced = false;
  /** Number of failed pulses and rejected beats, and how many of them happened before the last pulse. */
  #rejections = 0;
  #recordedRejections = 0;

  constructor(options: ProcessLivenessOptions) {
    this.#options = options;
    this.#processId = options.processId ?? randomBytes(8).toString('hex');
    this.#stalls = new StallDetector(options.clock, BEAT_CLIENT_TIMEOUT_MS);
    this.#waiting = new RepeatedFailureLog(options.log, options.clock, {
      failed: 'monitoring is waiting for the database',
      recovered: 'monitoring continues, because the database is available again',
    });
  }

  /**
   * Returns the database time in milliseconds. It decreases only if the clock of the database is set back.
   * @throws Error before the first pulse
   */
  now(): number {
    if (this.#offsetMs === null) throw new Error('monitoring has not read the database time yet');
    this.#lastNow = Math.max(this.#lastNow, Math.floor(this.#options.clock.monotonic() + this.#offsetMs));
    return this.#lastNow;
  }

  /**
   * Returns the maximum age of a beat that is read now, in milliseconds. It is greater than 0 after this process
   * was blocked.
   */
  maxReceiveDelayMs(): number {
    return this.#stalls.maxReceiveDelayMs();
  }

  /** Records that a beat was rejected, so that its sender could not report to Floe. */
  recordRejection(): void {
    this.#rejections += 1;
  }

  /** The time spans in which no process accepted beats, in order, as of the last pulse. */
  get gaps(): readonly MonitoringGap[] {
    return this.#gaps;
  }

  /**
   * The time before which all processes have committed the beats that they accepted, so that monitors may be
   * evaluated until then. It is never within a gap (which could happen after the clock was set forward),
   * because a gap that is evaluated in two parts would extend a deadline twice.
   */
  get committedUntil(): number {
    const until = this.#committedUntil;
    const inside = this.#gaps.findLast(({ startAt, endAt }) => startAt < until && until < endAt);
    return inside ? inside.startAt : until;
  }

  /** The same time as `committedUntil`, but for the other processes only. */
  get peersCommittedUntil(): number {
    return this.#peersCommittedUntil;
  }

  /** How often recorded times were moved back because the clock was set back, as of the last pulse. */
  get rewindCount(): number {
    return this.#rewindCount;
  }

  /**
   * Sends the first pulse, to set the time. This process does not accept beats yet.
   * @throws Fault if the database is unavailable
   */
  async prepare(): Promise<void> {
    if (this.#offsetMs === null) await this.send();
  }

  /**
   * Records that this process accepts beats from now on. Sends a pulse now and then every second.
   * @throws Fault if the database is unavailable
   */
  async start(): Promise<void> {
    await this.#inFlight;
    this.#isAnnounced = true;
    await this.send();
    this.#stalls.start();
    this.#next();
  }

  /**
   * Resolves when the last pulse is recent. Sends one if necessary. Must be called before any evaluation.
   * @throws Fault if the database is unavailable
   */
  async ensureFresh(): Promise<void> {
    const age = this.#options.clock.monotonic() - this.#pulsedAt;
    if (age > MONITORING_GAP_THRESHOLD_MS - LIVENESS_INTERVAL_MS) await this.send();
  }

  /** Sends a pulse. Concurrent callers share the same pulse. */
  send(): Promise<void> {
    this.#inFlight ??= runForServer(() => this.#send(this.#closed)).finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  /** Stops the pulses and releases the lease, so that other processes do not wait for beats of this one. */
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
    this.#timer = this.#options.clock.after(LIVENESS_INTERVAL_MS, () => {
      this.#loop = this.#turn();
    });
  }

  async #turn(): Promise<void> {
    try {
      await this.send();
      await this.#options.afterPulse(this);
      this.#waiting.succeed();
    } catch (error) {
      this.#waiting.fail(error);
    }
    if (!this.#closed) this.#next();
  }

  async #send(isLeaving: boolean): Promise<void> {
    const { clock, log } = this.#options;
    const presence = isLeaving ? 'leaving' : this.#isAnnounced ? 'present' : 'arriving';
    const before = clock.monotonic();
    let written: WrittenPulse;
    try {
      written = await this.#write(presence);
    } catch (error) {
      this.#rejections += 1;
      throw error;
    }
    const after = clock.monotonic();
    const { taken, readAt } = written;
    const { nowMs } = taken;
    logClockChange(log, taken);
    if (taken.clockJumpMs < 0) this.#rewind();
    const gaps = new Map(this.#gaps.map((gap) => [gap.startAt, gap]));
    for (const gap of taken.gaps) gaps.set(gap.startAt, gap);
    this.#gaps = [...gaps.values()].sort((one, other) => one.startAt - other.startAt);
    this.#setTime(nowMs, readAt ?? before, readAt ?? after);
    this.#committedUntil = Math.max(this.#committedUntil, taken.committedUntil);
    this.#peersCommittedUntil = taken.peersCommittedUntil;
    this.#rewindCount = taken.rewindCount;
    this.#pulsedAt = after;
    this.#recordedRejections = written.rejections;
    if (presence === 'present') this.#startedAt ??= nowMs;
  }

  #write(presence: MonitoringLivenessReport['presence']): Promise<WrittenPulse> {
    const { database, clock, log, oldestPendingAt } = this.#options;
    const estimateMs = this.#estimate();
    const oldest = oldestPendingAt();
    const wallMs = clock.now();
    let rejections = this.#rejections;
    let readAt = clock.monotonic();
    const readSharedWallMs = () => {
      readAt = clock.monotonic();
      return clock.now();
    };
    const unread = estimateMs === null ? 0 : estimateMs - this.maxReceiveDelayMs();
    const given: MonitoringLivenessReport = {
      processId: this.#processId,
      // Both clocks are read together, because the transaction may wait for its turn. They are read before the
      // transaction, or during it if other processes may have sent pulses in the meantime.
      readWallMs: database.isShared ? readSharedWallMs : () => wallMs,
      estimateNowMs: database.isShared ? () => this.#estimate() : () => estimateMs,
      acceptedUntilMs: estimateMs === null ? null : Math.min(unread, oldest ?? estimateMs),
      gapThresholdMs: () => {
        rejections = this.#rejections;
        return rejections > this.#recordedRejections
          ? MONITORING_GAP_THRESHOLD_MS
          : BEAT_CLIENT_TIMEOUT_MS + LIVENESS_INTERVAL_MS;
      },
      leaseTimeoutMs: BEAT_CLIENT_TIMEOUT_MS + LIVENESS_INTERVAL_MS,
      presence,
      startedAt: this.#startedAt,
      gapsUntilMs: this.#gaps.at(-1)?.endAt ?? 0,
    };
    return database.rowTransaction(async (writer) => {
      const taken = await recordMonitoringLiveness(writer, given);
      if (taken.futureMs > 0) {
        logFailedRewinds(log, await rewindMonitorStates(writer, taken.nowMs, taken.futureMs));
        await shiftFutureAlertTimes(writer, taken.nowMs, taken.futureMs);
      }
      return { taken, readAt: database.isRemote ? null : readAt, rejections };
    });
  }

  #estimate(): number | null {
    return this.#offsetMs === null ? null : this.now();
  }

  /** Discards the state for later times, because the clock was set back. */
  #rewind(): void {
    this.#offsetMs = null;
    this.#lastNow = 0;
    this.#committedUntil = 0;
    this.#gaps = [];
  }

  /** Updates the estimate of the database time, which was read at some time between `before` and `after`. */
  #setTime(nowMs: number, before: number, after: number): void {
    const offset = nowMs - (before + after) / 2;
    const known = this.#offsetMs;
    const rough = after - before > MAX_PRECISE_PULSE_MS;
    if (known === null || !rough || Math.abs(offset - known) > after - before) this.#offsetMs = offset;
  }
}
