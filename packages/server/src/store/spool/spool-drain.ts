import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { isDatabaseUnavailable } from '../is-database-unavailable.ts';
import type { Database, SpoolIngestResult } from '../store-interfaces.ts';
import type { SpoolFileSystem } from './spool-file-system.ts';
import type { SpoolSegment } from './spool-segment.ts';

/** Delay before a batch is inserted, so that more rows share its transaction. */
const DRAIN_DELAY_MS = 100;
/**
 * Maximum size of a batch: about 800 rows, whose transaction takes ten milliseconds, so that others do not
 * wait long.
 */
const BATCH_BYTES = 512 * 1024;
/** Minimum size of batches that shrink because the database is too slow for them. */
const MIN_BATCH_BYTES = 8 * 1024;
/** Number of batches that keep the size to which a failure reduced them. */
const BATCHES_UNTIL_GROWTH = 32;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 5000;
/** Maximum number of attempts for a file that cannot be inserted although the database is available. */
const ATTEMPTS_PER_FILE = 5;

export interface SpoolDrainOptions {
  readonly database: Pick<Database, 'ingest'>;
  readonly files: SpoolFileSystem;
  readonly clock: Clock;
  readonly log: Log;
}

interface Waiter {
  readonly segment: SpoolSegment;
  readonly upTo: number;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Inserts the rows in spool files into the database, oldest file first, and deletes the completed
 * files.
 */
export class SpoolDrain {
  readonly #options: SpoolDrainOptions;
  readonly #queue: SpoolSegment[];
  readonly #waiters = new Set<Waiter>();
  #timer: Timer | null = null;
  #run: Promise<void> | null = null;
  #failures = 0;
  #batchBytes = BATCH_BYTES;
  #batchesUntilGrowth = 0;
  #closed = false;

  constructor(options: SpoolDrainOptions, leftovers: readonly SpoolSegment[]) {
    this.#options = options;
    this.#queue = [...leftovers];
    if (leftovers.length > 0) this.#start();
  }

  add(segment: SpoolSegment): void {
    this.#queue.push(segment);
  }

  /** Number of rows on disk that are not in the database. */
  get waitingRows(): number {
    return this.#queue.reduce((rows, segment) => rows + segment.rowsWaiting, 0);
  }

  /** Starts to insert rows. Must be called when a segment has more rows or has been closed. */
  wake(segment: SpoolSegment): void {
    if (this.#run || this.#failures > 0 || this.#closed) return;
    if (segment.written - segment.ingestedBytes >= BATCH_BYTES) this.#start();
    else this.#timer ??= this.#options.clock.after(DRAIN_DELAY_MS, () => this.#start());
  }

  /**
   * Resolves when everything that is on disk now has been inserted into the database. Does not wait for the
   * end of a pause.
   */
  async waitUntilDrained(): Promise<void> {
    const segment = this.#queue.at(-1);
    if (!segment) return;
    const reached = new Promise<void>((resolve, reject) => {
      this.#waiters.add({ segment, upTo: segment.written, resolve, reject });
    });
    this.#start();
    await reached;
  }

  /** Waits for the current batch and stops. The remaining rows stay on disk for the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#run;
    const [segment] = this.#queue;
    if (!segment?.closed || segment.ingestedBytes < segment.written) return;
    await this.#remove(segment).catch((error) =>
      this.#options.log.warn(
        { err: error, file: segment.path },
        'spool file could not be removed; Floe tries again at the next start',
      ),
    );
  }

  #start(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#run ??= this.#drain().finally(() => {
      this.#run = null;
      this.#resolveWaiters();
      // Rows may have arrived after the last look at the queue, when wake() still detected a run.
      const [segment] = this.#queue;
      if (segment && (segment.closed || segment.ingestedBytes < segment.written)) this.wake(segment);
    });
  }

  async #drain(): Promise<void> {
    let isFirst = true;
    for (let segment = this.#queue[0]; segment && !this.#closed; segment = this.#queue[0]) {
      const waiting = segment.written - segment.ingestedBytes;
      try {
        if (waiting > 0 && (isFirst || this.#isUrgent(segment, waiting))) await this.#ingestBatch(segment);
        else if (waiting === 0 && segment.closed) await this.#remove(segment);
        else return;
        isFirst = false;
      } catch (error) {
        return this.#onFailure(segment, error);
      }
      this.#onRecovery();
      this.#resolveWaiters();
    }
  }

  /**
   * Returns whether to insert the rows without a delay. Under load, a few rows arrive during every batch;
   * inserted immediately, each would need its own transaction.
   */
  #isUrgent(segment: SpoolSegment, waitingBytes: number): boolean {
    return waitingBytes >= BATCH_BYTES || segment.closed || this.#waiters.size > 0;
  }

  async #ingestBatch(segment: SpoolSegment): Promise<void> {
    const { path, ingestedBytes, written } = segment;
    const to = Math.min(written, ingestedBytes + this.#batchBytes);
    const last = segment.closed && to === written;
    const ingested = await this.#options.database.ingest({ path, from: ingestedBytes, to, last });
    if (ingested.next === ingestedBytes && !last) {
      if (to === written)
        throw new Error(
          `${path} was truncated after Floe wrote it, so some rows are lost; check the disk, and check that no other program changes the file`,
        );
      this.#batchBytes *= 2;
      return this.#ingestBatch(segment);
    }
    this.#growBatch();
    await this.#storeRejected(segment, ingested);
    segment.ingestedBytes = last ? written : ingested.next;
    const rows = ingested.inserted + ingested.known + ingested.rejected.length;
    segment.rowsWaiting =
      segment.ingestedBytes === written && segment.closed ? 0 : Math.max(0, segment.rowsWaiting - rows);
  }

  /**
   * After a failure, the next batches keep the smaller size, because the database is probably still too slow for larger
   * ones.
   */
  #growBatch(): void {
    if (this.#batchesUntilGrowth > 0) this.#batchesUntilGrowth -= 1;
    else this.#batchBytes = Math.min(BATCH_BYTES, this.#batchBytes * 2);
  }

  async #storeRejected(segment: SpoolSegment, { rejected, torn }: SpoolIngestResult): Promise<void> {
    const { files, log } = this.#options;
    if (torn)
      log.warn(
        { file: segment.path, rows: 1 },
        'last row of a spool file was lost, because the process ended while it was writing the row',
      );
    if (rejected.length === 0) return;
    const file = segment.path.replace(/\.jsonl$/, '.rejected');
    log.error(
      { file, rows: rejected.length },
      'spool contains invalid rows; they are moved to a separate file',
    );
    await files
      .append(file, rejected.map((line) => `${line}\n`).join(''))
      .catch((error) =>
        log.error(
          { err: error, file },
          'could not write invalid spool rows to a separate file; the rows are lost; check the free space and the permissions of the data directory',
        ),
      );
  }

  async #remove(segment: SpoolSegment): Promise<void> {
    await this.#options.files.remove(segment.path);
    this.#queue.splice(this.#queue.indexOf(segment), 1);
  }

  #onFailure(segment: SpoolSegment, error: unknown): void {
    this.#failures += 1;
    // A database that is too slow for the batch would fail at the same size forever.
    this.#batchBytes = Math.max(MIN_BATCH_BYTES, Math.floor(this.#batchBytes / 2));
    this.#batchesUntilGrowth = BATCHES_UNTIL_GROWTH;
    const away = isDatabaseUnavailable(error);
    if (this.#failures === 1)
      this.#options.log.warn(
        { err: error, rows: this.waitingRows },
        'rows could not be stored in the database; they remain on disk; retrying',
      );
    if (!away && this.#failures >= ATTEMPTS_PER_FILE) this.#skip(segment, error);
    if (this.#closed) return;
    const delayMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(this.#failures - 1, 10));
    this.#timer ??= this.#options.clock.after(delayMs, () => this.#start());
  }

  /**
   * Skips a file that cannot be inserted, so that it does not delay later files. It stays on disk for the
   * next start.
   */
  #skip(segment: SpoolSegment, error: unknown): void {
    segment.skipped = true;
    this.#failures = 0;
    this.#queue.splice(this.#queue.indexOf(segment), 1);
    this.#options.log.error(
      { err: error, file: segment.path, rows: segment.rowsWaiting },
      'rows of a spool file could not be stored in the database; Floe keeps the file and tries again at the next start',
    );
  }

  #onRecovery(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#options.log.info({ rows: this.waitingRows }, 'database accepts rows again');
  }

  #resolveWaiters(): void {
    for (const waiter of this.#waiters) {
      const { segment, upTo } = waiter;
      if (!segment.skipped && segment.ingestedBytes < upTo) continue;
      this.#waiters.delete(waiter);
      if (segment.skipped)
        waiter.reject(
          new Error(
            `The rows in ${segment.path} could not be stored in the database. Floe keeps the file and tries again at the next start.`,
          ),
        );
      else waiter.resolve();
    }
  }
}
