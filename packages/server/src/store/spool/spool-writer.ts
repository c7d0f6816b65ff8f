import { join } from 'node:path';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { newSegment, type Segment, segmentName } from './segment.ts';
import type { SpoolFile, SpoolFiles } from './spool-files.ts';

/** Wait before a write, so that rows share it. Short, for on a busy machine the write itself may take most of the promised 10 ms. */
const WRITE_DELAY_MS = 2;
/** Leaves a disk 50 ms for the sync itself before the promised 250 ms are over. */
const SYNC_DELAY_MS = 200;
/** Enough for one write; more waits for no timer. */
const WRITE_NOW_CHARS = 256 * 1024;
const SEGMENT_BYTES = 8 * 1024 * 1024;
/** Characters held while the disk takes none: some 50,000 rows. */
const HELD_CHARS = 32 * 1024 * 1024;
const RETRY_MS = 250;
const LOSS_LOG_INTERVAL_MS = 1000;

export interface SpoolWriterOptions {
  readonly directory: string;
  readonly firstNumber: number;
  readonly files: SpoolFiles;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each file made, in order, before anything is written to it. */
  opened(segment: Segment): void;
  /** Called after rows reached the disk. */
  written(segment: Segment): void;
}

interface Batch {
  text: string;
  rows: number;
}

interface Current {
  readonly file: SpoolFile;
  readonly segment: Segment;
}

interface Waiter {
  readonly upTo: number;
  resolve(): void;
}

/**
 * Puts lines on disk: gathers what comes within a few milliseconds and writes it with one write(2),
 * one at a time. A write that fails is tried again, in a new file, until it succeeds.
 *
 * While the disk takes nothing, at most `HELD_CHARS` are held; rows that come after that are lost,
 * counted and logged. Dropping the newest makes the loss one gap with a beginning and an end.
 */
export class SpoolWriter {
  readonly #options: SpoolWriterOptions;
  #number: number;
  #current: Current | null = null;
  #gathering: Batch = { text: '', rows: 0 };
  #writing: Batch | null = null;
  #run: Promise<void> | null = null;
  #timer: Timer | null = null;
  #due = false;
  #syncTimer: Timer | null = null;
  #syncing: Promise<void> | null = null;
  readonly #ending = new Set<Promise<void>>();
  readonly #waiters = new Set<Waiter>();
  #accepted = 0;
  #stored = 0;
  #failed = false;
  #closed = false;
  #lost = 0;
  #lossLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SpoolWriterOptions) {
    this.#options = options;
    this.#number = options.firstNumber;
  }

  /** Rows accepted that are not on disk. */
  get held(): number {
    return this.#gathering.rows + (this.#writing?.rows ?? 0);
  }

  /** The last write failed; it is tried again until the disk takes it. */
  get failing(): boolean {
    return this.#failed;
  }

  append(line: string): void {
    const gathering = this.#gathering;
    const held = gathering.text.length + (this.#writing?.text.length ?? 0);
    if (this.#closed || held + line.length > HELD_CHARS) {
      this.#loseOne();
      return;
    }
    this.#accepted += 1;
    gathering.text += line;
    gathering.text += '\n';
    gathering.rows += 1;
    if (gathering.text.length >= WRITE_NOW_CHARS && !this.#run && !this.#failed) this.#write();
    else this.#timer ??= this.#options.clock.after(WRITE_DELAY_MS, () => this.#write());
  }

  /** Resolves when everything accepted so far is on disk. */
  stored(): Promise<void> {
    if (this.held === 0) return Promise.resolve();
    const upTo = this.#accepted;
    return new Promise((resolve) => {
      this.#waiters.add({ upTo, resolve });
      this.#write();
    });
  }

  /** Writes and syncs what is held; what the disk does not take now is lost, counted and logged. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#write();
    await this.#run;
    this.#timer?.cancel();
    this.#syncTimer?.cancel();
    await this.#syncing;
    this.#lost += this.held;
    if (this.held > 0) this.#logLoss();
    this.#retire();
    await Promise.all(this.#ending);
  }

  #write(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#run) this.#due = true;
    else if (this.held > 0) this.#run = this.#writeWhileDue();
  }

  async #writeWhileDue(): Promise<void> {
    try {
      do {
        this.#due = false;
        this.#writing ??= this.#takeGathered();
        await this.#put(this.#writing);
        this.#writing = null;
        this.#recovered();
      } while (this.held > 0 && (this.#due || !this.#timer));
    } catch (error) {
      this.#retryLater(error);
    } finally {
      // In the same turn as the last look at #due, or a #write() between the two would be forgotten.
      this.#due = false;
      this.#run = null;
    }
  }

  #takeGathered(): Batch {
    const gathered = this.#gathering;
    this.#gathering = { text: '', rows: 0 };
    return gathered;
  }

  async #put({ text, rows }: Batch): Promise<void> {
    const { file, segment } = this.#usable(this.#current) ?? (await this.#open());
    const bytes = Buffer.from(text, 'utf8');
    await file.write(bytes, segment.written);
    segment.written += bytes.length;
    segment.rowsWaiting += rows;
    this.#stored += rows;
    this.#options.written(segment);
    for (const waiter of this.#waiters) {
      if (this.#stored < waiter.upTo) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
    if (!this.#syncing) this.#syncLater();
  }

  #usable(current: Current | null): Current | null {
    if (current && current.segment.written < SEGMENT_BYTES && !current.segment.skipped) return current;
    this.#retire();
    return null;
  }

  async #open(): Promise<Current> {
    const path = join(this.#options.directory, segmentName(this.#number));
    this.#number += 1;
    const current = { file: await this.#options.files.create(path), segment: newSegment(path) };
    this.#current = current;
    this.#options.opened(current.segment);
    return current;
  }

  /** Ends the current file: what it holds is synced, then it is left to the drain. */
  #retire(): void {
    const current = this.#current;
    if (!current) return;
    this.#current = null;
    current.segment.closed = true;
    this.#options.written(current.segment);
    const ended = this.#end(current).then(() => {
      this.#ending.delete(ended);
    });
    this.#ending.add(ended);
  }

  async #end(current: Current): Promise<void> {
    await this.#sync(current);
    await current.file
      .close()
      .catch((error) => this.#options.log.warn({ err: error }, 'A spool file could not be closed'));
  }

  #retryLater(error: unknown): void {
    if (!this.#failed)
      this.#options.log.error(
        { err: error, rows: this.held },
        'The spool cannot be written; rows are held in memory',
      );
    this.#failed = true;
    // Part of the batch may stand behind the good rows: the next try gets a new file, or the same
    // one from its start, so that nothing cut off ever stands between rows.
    if (this.#current && this.#current.segment.written > 0) this.#retire();
    if (!this.#closed) this.#timer ??= this.#options.clock.after(RETRY_MS, () => this.#write());
  }

  #recovered(): void {
    if (!this.#failed) return;
    this.#failed = false;
    this.#options.log.warn({ lost_rows: this.#lost }, 'The spool can be written again');
  }

  #syncLater(): void {
    this.#syncTimer ??= this.#options.clock.after(SYNC_DELAY_MS, () => {
      this.#syncTimer = null;
      const current = this.#current;
      if (!current) return;
      const upTo = current.segment.written;
      this.#syncing = this.#sync(current).then(() => {
        this.#syncing = null;
        if (current.segment.written > upTo) this.#syncLater();
      });
    });
  }

  /** A commit of the database is on the disk: rows it has taken need no sync here. */
  async #sync({ file, segment }: Current): Promise<void> {
    if (segment.taken >= segment.written) return;
    try {
      await file.sync();
    } catch (error) {
      this.#options.log.error(
        { err: error, file: segment.path },
        'The spool cannot be synced; a power cut could lose rows',
      );
    }
  }

  #loseOne(): void {
    this.#lost += 1;
    const now = this.#options.clock.monotonic();
    if (now - this.#lossLoggedAt < LOSS_LOG_INTERVAL_MS) return;
    this.#lossLoggedAt = now;
    this.#logLoss();
  }

  #logLoss(): void {
    this.#options.log.error(
      { lost_rows: this.#lost },
      'Rows were lost: the spool cannot be written and memory for them is full',
    );
  }
}
