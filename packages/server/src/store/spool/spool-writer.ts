import { join } from 'node:path';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { SpoolFile, SpoolFileSystem } from './spool-file-system.ts';
import { createSpoolSegment, formatSpoolSegmentName, type SpoolSegment } from './spool-segment.ts';

/**
 * Delay before a write, so that several rows share it. It is short, because on a busy machine the write
 * itself may take most of the guaranteed 10 ms.
 */
const WRITE_DELAY_MS = 2;
/** Delay before a sync. It leaves the disk 50 ms for the sync within the guaranteed 250 ms. */
const SYNC_DELAY_MS = 200;
/** Number of buffered characters with which a write starts immediately. */
const WRITE_NOW_CHARS = 256 * 1024;
const SEGMENT_BYTES = 8 * 1024 * 1024;
/** Maximum number of characters in memory while the disk rejects writes: about 50,000 rows. */
const MAX_BUFFERED_CHARS = 32 * 1024 * 1024;
const RETRY_MS = 250;
const LOSS_LOG_INTERVAL_MS = 1000;

export interface SpoolWriterOptions {
  readonly directory: string;
  readonly firstNumber: number;
  readonly files: SpoolFileSystem;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each new file, in order, before anything is written to it. */
  onOpened(segment: SpoolSegment): void;
  /** Called after rows have been written. */
  onWritten(segment: SpoolSegment): void;
}

interface Batch {
  text: string;
  rows: number;
  /** Unix milliseconds at which the batch was complete. */
  completedAt: number;
  /** Resolves when the batch is on disk. Never rejects. */
  readonly stored: PromiseWithResolvers<void>;
}

function createBatch(): Batch {
  return { text: '', rows: 0, completedAt: 0, stored: Promise.withResolvers() };
}

interface Current {
  readonly file: SpoolFile;
  readonly segment: SpoolSegment;
}

/**
 * Writes lines to disk. Collects lines for a few milliseconds, and writes them with one write(2)
 * call at a time. If a write fails, it is repeated in a new file until it succeeds.
 *
 * While the disk rejects writes, at most `MAX_BUFFERED_CHARS` are kept in memory. Rows that arrive
 * later are dropped, counted and logged. Because the newest rows are dropped, the lost rows form a
 * single time span.
 */
export class SpoolWriter {
  readonly #options: SpoolWriterOptions;
  #number: number;
  #current: Current | null = null;
  #buffer = createBatch();
  #writing: Batch | null = null;
  #run: Promise<void> | null = null;
  #timer: Timer | null = null;
  #due = false;
  #syncTimer: Timer | null = null;
  #syncing: Promise<void> | null = null;
  readonly #ending = new Set<Promise<void>>();
  #endOfTurn: NodeJS.Immediate | null = null;
  #failed = false;
  #closed = false;
  #lost = 0;
  #lossLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SpoolWriterOptions) {
    this.#options = options;
    this.#number = options.firstNumber;
  }

  /** Number of accepted rows that are not on disk yet. */
  get bufferedRows(): number {
    return this.#buffer.rows + (this.#writing?.rows ?? 0);
  }

  /** Whether the last write failed. Floe repeats it until it succeeds. */
  get isFailing(): boolean {
    return this.#failed;
  }

  append(line: string): void {
    const gathering = this.#buffer;
    const held = gathering.text.length + (this.#writing?.text.length ?? 0);
    if (this.#closed || held + line.length > MAX_BUFFERED_CHARS) {
      this.#dropRow();
      return;
    }
    gathering.text += line;
    gathering.text += '\n';
    gathering.rows += 1;
    if (gathering.text.length >= WRITE_NOW_CHARS && !this.#run && !this.#failed) this.#write();
    else this.#timer ??= this.#options.clock.after(WRITE_DELAY_MS, () => this.#write());
  }

  /**
   * Resolves when everything accepted so far is on disk. Writes at the end of this turn of the event loop, so
   * that all requests that were read in it share one write.
   */
  stored(): Promise<void> {
    if (this.bufferedRows === 0) return Promise.resolve();
    this.#endOfTurn ??= setImmediate(() => {
      this.#endOfTurn = null;
      this.#write();
    });
    const last = this.#buffer.rows > 0 ? this.#buffer : (this.#writing ?? this.#buffer);
    return last.stored.promise;
  }

  /** Writes and syncs the buffered rows. Rows that the disk rejects are lost, counted and logged. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#write();
    await this.#run;
    this.#timer?.cancel();
    this.#syncTimer?.cancel();
    await this.#syncing;
    this.#lost += this.bufferedRows;
    if (this.bufferedRows > 0) this.#logLoss();
    this.#closeCurrent();
    await Promise.all(this.#ending);
  }

  #write(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#run) this.#due = true;
    else if (this.bufferedRows > 0) this.#run = this.#writeWhileDue();
  }

  async #writeWhileDue(): Promise<void> {
    try {
      do {
        this.#due = false;
        this.#writing ??= this.#drainBuffer();
        await this.#writeBatch(this.#writing);
        this.#writing = null;
        this.#onRecovery();
      } while (this.bufferedRows > 0 && (this.#due || !this.#timer));
    } catch (error) {
      this.#scheduleRetry(error);
    } finally {
      // In the same turn as the last read of #due. Otherwise a #write() in between would be lost.
      this.#due = false;
      this.#run = null;
    }
  }

  #drainBuffer(): Batch {
    const gathered = this.#buffer;
    this.#buffer = createBatch();
    gathered.completedAt = this.#options.clock.now();
    return gathered;
  }

  async #writeBatch({ text, rows, completedAt, stored }: Batch): Promise<void> {
    const { file, segment } = this.#usable(this.#current) ?? (await this.#open());
    const bytes = Buffer.from(text, 'utf8');
    await file.write(bytes, segment.written);
    segment.written += bytes.length;
    segment.writtenUntil = completedAt;
    segment.rowsWaiting += rows;
    this.#options.onWritten(segment);
    stored.resolve();
    if (!this.#syncing) this.#scheduleSync();
  }

  #usable(current: Current | null): Current | null {
    if (current && current.segment.written < SEGMENT_BYTES && !current.segment.skipped) return current;
    this.#closeCurrent();
    return null;
  }

  async #open(): Promise<Current> {
    const path = join(this.#options.directory, formatSpoolSegmentName(this.#number));
    this.#number += 1;
    const current = { file: await this.#options.files.create(path), segment: createSpoolSegment(path) };
    this.#current = current;
    this.#options.onOpened(current.segment);
    return current;
  }

  /** Closes the current file: syncs it and leaves it to the drain. */
  #closeCurrent(): void {
    const current = this.#current;
    if (!current) return;
    this.#current = null;
    current.segment.closed = true;
    this.#options.onWritten(current.segment);
    const ended = this.#end(current).then(() => {
      this.#ending.delete(ended);
    });
    this.#ending.add(ended);
  }

  async #end(current: Current): Promise<void> {
    await this.#sync(current);
    await current.file
      .close()
      .catch((error) => this.#options.log.warn({ err: error }, 'spool file could not be closed'));
  }

  #scheduleRetry(error: unknown): void {
    if (!this.#failed)
      this.#options.log.error(
        { err: error, rows: this.bufferedRows },
        'spool is not writable; rows are buffered in memory; check the free space and the permissions of the data directory',
      );
    this.#failed = true;
    // A part of the batch may follow the valid rows. The next attempt uses a new file, or the start of the
    // same one, so that no incomplete line is between rows.
    if (this.#current && this.#current.segment.written > 0) this.#closeCurrent();
    if (!this.#closed) this.#timer ??= this.#options.clock.after(RETRY_MS, () => this.#write());
  }

  #onRecovery(): void {
    if (!this.#failed) return;
    this.#failed = false;
    this.#options.log.warn({ lost_rows: this.#lost }, 'spool is writable again');
  }

  #scheduleSync(): void {
    this.#syncTimer ??= this.#options.clock.after(SYNC_DELAY_MS, () => {
      this.#syncTimer = null;
      const current = this.#current;
      if (!current) return;
      const upTo = current.segment.written;
      this.#syncing = this.#sync(current).then(() => {
        this.#syncing = null;
        if (current.segment.written > upTo) this.#scheduleSync();
      });
    });
  }

  /** Syncs a file, unless all of its rows are already committed in the database. */
  async #sync({ file, segment }: Current): Promise<void> {
    if (segment.ingestedBytes >= segment.written) return;
    try {
      await file.sync();
    } catch (error) {
      this.#options.log.error(
        { err: error, file: segment.path },
        'spool cannot be synced to disk; rows could be lost in a power failure; check the disk',
      );
    }
  }

  #dropRow(): void {
    this.#lost += 1;
    const now = this.#options.clock.monotonic();
    if (now - this.#lossLoggedAt < LOSS_LOG_INTERVAL_MS) return;
    this.#lossLoggedAt = now;
    this.#logLoss();
  }

  #logLoss(): void {
    this.#options.log.error(
      { lost_rows: this.#lost },
      'rows were lost because the spool is not writable; check the free space and the permissions of the data directory',
    );
  }
}
