import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type { SpoolWriter } from '../spool/spool-writer.ts';

/** How long a request waits until its reservation is on disk. After this time, the disk has a problem. */
const TIMEOUT_MS = 15_000;
/** The same for a disk that rejects writes, such as a full one. */
const FAILING_DISK_TIMEOUT_MS = 1_000;
/** Requests within this time share a promise and a timer. One of each per request took 5 µs of CPU. */
const SHARED_MS = 100;

interface SharedWait {
  /** The promise of the writer. */
  readonly stored: Promise<void>;
  /** Monotonic milliseconds. */
  readonly since: number;
  /** Settles like `stored`, or rejects after the timeout. */
  readonly inTime: Promise<void>;
}

/** Waits until a writer has written everything to disk, with a timeout. */
export class DiskWriteWaiter {
  readonly #writer: SpoolWriter;
  readonly #clock: Clock;
  #shared: SharedWait | null = null;

  constructor(writer: SpoolWriter, clock: Clock) {
    this.#writer = writer;
    this.#clock = clock;
  }

  /**
   * Resolves when everything that the writer has accepted is on disk. Rejects with `overloaded` if that takes
   * more than 15 seconds, or more than one second if the disk rejects writes. Requests can share a timeout, so it
   * can be up to 0.1 seconds shorter.
   */
  wait(): Promise<void> {
    const stored = this.#writer.stored();
    const nowMs = this.#clock.monotonic();
    const shared = this.#shared;
    if (shared?.stored === stored && nowMs - shared.since < SHARED_MS) return shared.inTime;
    const inTime = this.#rejectLate(stored);
    this.#shared = { stored, since: nowMs, inTime };
    return inTime;
  }

  async #rejectLate(stored: Promise<void>): Promise<void> {
    const late = Promise.withResolvers<never>();
    // If both are ready, the result of the disk is read before the timeout.
    const expire = () => setImmediate(() => late.reject(createDiskWriteTimeoutFault()));
    const giveUp = () => {
      if (this.#writer.isFailing) expire();
      else timer = this.#clock.after(TIMEOUT_MS - FAILING_DISK_TIMEOUT_MS, expire);
    };
    let timer = this.#clock.after(FAILING_DISK_TIMEOUT_MS, giveUp);
    try {
      await Promise.race([stored, late.promise]);
    } finally {
      timer.cancel();
    }
  }
}

/** Returns the fault of a request whose reservation was not written to disk in time. */
export function createDiskWriteTimeoutFault(): Fault {
  const message =
    'The budget reservation of this request could not be written to disk in time. Retry the request.';
  return new Fault('overloaded', message, { retryAfterMs: 1_000 });
}
