import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Timer } from '../../core/clock.ts';
import { OpenAddressingMap } from '../../core/open-addressing-map.ts';
import { RepeatedFailureLog } from '../../core/repeated-failure-log.ts';
import { isDatabaseUnavailable } from '../is-database-unavailable.ts';
import { diskSpoolFileSystem, type SpoolFileSystem } from '../spool/spool-file-system.ts';
import type { SpoolSegment } from '../spool/spool-segment.ts';
import { SpoolWriter } from '../spool/spool-writer.ts';
import type { Database } from '../store-interfaces.ts';
import { applyJournalBatch, type JournalBatchOptions } from './apply-journal-batch.ts';
import type { BudgetCharge } from './budget-charge.ts';
import {
  type BucketSpendChange,
  getAppliedJournalLineNumber,
  type SpendJournalBatch,
} from './budget-spend.ts';
import { createDiskWriteTimeoutFault, DiskWriteWaiter } from './disk-write-waiter.ts';
import {
  BudgetChargeAccumulator,
  computeUnappliedCharges,
  formatSpendJournalLine,
  readSpendJournalLines,
  type SpendJournalLine,
} from './spend-journal-lines.ts';

/** Interval between two batches for the database. */
const APPLY_MS = 100;
const RETRY_MS = 1_000;
const CLOSE_MS = 4_000;
/** Value of `applied` for a journal that was applied completely. */
const RECOVERED = Number.MAX_SAFE_INTEGER;
export interface SpendJournalOptions extends JournalBatchOptions {
  /** Locked by this process, so that every other journal in it belongs to a killed process. */
  readonly dataDir: string;
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly files?: SpoolFileSystem;
  /** Runs after its commit. */
  readonly afterSpent: (spent: readonly BucketSpendChange[]) => void;
  /** Called for a reservation of a killed process, which is charged in full. */
  readonly onOrphan: (id: string, charges: readonly BudgetCharge[]) => void;
}

/**
 * A journal that preserves spending if the process is killed. A reservation is on disk before the
 * request is sent. The final cost is on disk a few milliseconds after the request ended. The
 * database adds each line exactly once. At the next start, a reservation without a final cost is
 * charged in full.
 */
export interface SpendJournal {
  /**
   * Resolves when the reservation is on disk. Rejects with `overloaded` if that takes more than 15 seconds, or
   * more than one second if the disk rejects writes. Rejects immediately if the disk is known to reject writes.
   */
  reserve(id: string, charges: readonly BudgetCharge[]): Promise<void>;
  /** Increases the reservation of an exchange. The increase is on disk within milliseconds. Does not wait for it. */
  extend(id: string, charges: readonly BudgetCharge[]): void;
  settle(id: string, charges: readonly BudgetCharge[]): void;
  /** Resolves when the database has all settled spending. Rejects if it is unavailable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens this process's spend journal, and starts to apply the journals of processes that were
 * killed.
 */
export async function openSpendJournal(options: SpendJournalOptions): Promise<SpendJournal> {
  const home = join(options.dataDir, 'spend');
  await (options.files ?? diskSpoolFileSystem).list(home);
  const leftovers = (await readdir(home, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const journal = new DiskSpendJournal(options, home, leftovers);
  await journal.recover();
  return journal;
}

class DiskSpendJournal implements SpendJournal {
  readonly #options: SpendJournalOptions;
  readonly #directory: string;
  readonly #id = randomUUID();
  readonly #writer: SpoolWriter;
  readonly #diskWait: DiskWriteWaiter;
  readonly #applyFailure: RepeatedFailureLog;
  readonly #segments: { readonly segment: SpoolSegment; last: number }[] = [];
  /** The line of each unsettled reservation, by exchange. */
  readonly #open = new OpenAddressingMap<number>();
  #leftovers: string[];
  readonly #reportedOrphans = new Set<string>();
  #written = 0;
  #stored = 0;
  #applied = 0;
  /** The settlements since the last batch, summed by counter. */
  #pending = new BudgetChargeAccumulator();
  #batch: SpendJournalBatch | null = null;
  #timer: Timer | null = null;
  #run: Promise<void> | null = null;

  constructor(options: SpendJournalOptions, home: string, leftovers: readonly string[]) {
    this.#options = options;
    this.#directory = home;
    this.#leftovers = [...leftovers];
    const files = options.files ?? diskSpoolFileSystem;
    const directory = join(home, this.#id);
    this.#writer = new SpoolWriter({
      directory,
      firstNumber: 1,
      files: { ...files, create: (path) => files.list(directory).then(() => files.create(path)) },
      clock: options.clock,
      log: options.log,
      onOpened: (segment) => void this.#segments.push({ segment, last: 0 }),
      onWritten: (segment) => this.#onWritten(segment),
    });
    this.#diskWait = new DiskWriteWaiter(this.#writer, options.clock);
    this.#applyFailure = new RepeatedFailureLog(options.log, options.clock, {
      failed: 'spending could not be written to the database; retrying',
      recovered: 'spending is being written to the database again',
    });
  }

  reserve(id: string, charges: readonly BudgetCharge[]): Promise<void> {
    if (this.#writer.isFailing) return Promise.reject(createDiskWriteTimeoutFault());
    this.#open.set(id, this.#append('hold', id, charges));
    return this.#diskWait.wait();
  }

  extend(id: string, charges: readonly BudgetCharge[]): void {
    if (this.#open.get(id) !== undefined) this.#append('hold', id, charges);
  }

  settle(id: string, charges: readonly BudgetCharge[]): void {
    const held = this.#open.delete(id);
    const spent = charges.filter(({ nanoUsd }) => nanoUsd > 0);
    if (!held && spent.length === 0) return;
    this.#append('done', id, spent);
    for (const charge of spent) this.#pending.add(charge);
    this.#scheduleApply(APPLY_MS);
  }

  async flush(): Promise<void> {
    await this.#run?.catch(() => undefined);
    await this.#start();
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    const late = Promise.withResolvers<never>();
    const timer = this.#options.clock.after(CLOSE_MS, () => late.reject(new Error('the flush timed out')));
    await Promise.race([this.flush(), late.promise]).catch((error: unknown) => {
      this.#options.log.warn(
        { err: error },
        'spend journal could not be flushed; its entries will be counted at the next start',
      );
    });
    timer.cancel();
    this.#timer?.cancel();
    await this.#writer.close();
    const whole = this.#leftovers.length === 0 && this.#applied === this.#written && this.#open.size === 0;
    if (whole) await rm(join(this.#directory, this.#id), { recursive: true, force: true });
  }

  /** Applies the journals of killed processes. If the database is unavailable, does it later. */
  async recover(): Promise<void> {
    for (const name of [...this.#leftovers])
      try {
        await this.#recoverOne(name);
        this.#leftovers = this.#leftovers.filter((other) => other !== name);
      } catch (error) {
        this.#options.log.warn(
          { err: error },
          'could not count spending that an earlier process recorded; retrying',
        );
        this.#scheduleApply(RETRY_MS);
        // The other journals need the same database.
        if (isDatabaseUnavailable(error)) return;
      }
  }

  async #recoverOne(name: string): Promise<void> {
    const { database, log, onOrphan, afterSpent } = this.#options;
    const directory = join(this.#directory, name);
    const files = (await readdir(directory)).sort().map((file) => join(directory, file));
    const applied = await getAppliedJournalLineNumber(database.read, name);
    const { open, charges } = computeUnappliedCharges(await readSpendJournalLines(files), applied);
    // Reported before the sum is known elsewhere, because it is the minimum of the counters, to which
    // reservations are added.
    if (applied < RECOVERED && !this.#reportedOrphans.has(name))
      for (const line of open) onOrphan(line.id, line.charges);
    this.#reportedOrphans.add(name);
    const batch = { journal: name, upTo: RECOVERED, charges };
    const spent = await applyJournalBatch(this.#options, batch);
    afterSpent(spent);
    if (open.length > 0 && spent.length > 0)
      log.warn(
        { reservations: open.length },
        'earlier process ended with open reservations; these reservations are charged in full',
      );
    await rm(directory, { recursive: true, force: true });
  }

  #append(op: SpendJournalLine['op'], id: string, charges: readonly BudgetCharge[]): number {
    this.#written += 1;
    this.#writer.append(formatSpendJournalLine({ n: this.#written, op, id, charges }));
    return this.#written;
  }

  #onWritten(segment: SpoolSegment): void {
    const entry = this.#segments.find((candidate) => candidate.segment === segment);
    if (!entry || segment.rowsWaiting === 0) return;
    this.#stored += segment.rowsWaiting;
    segment.rowsWaiting = 0;
    entry.last = this.#stored;
  }

  #scheduleApply(ms: number): void {
    const apply = () => {
      this.#timer = null;
      this.#start().then(
        () => this.#applyFailure.succeed(),
        (error: unknown) => {
          this.#applyFailure.fail(error);
          this.#scheduleApply(RETRY_MS);
        },
      );
    };
    this.#timer ??= this.#options.clock.after(ms, apply);
  }

  #start(): Promise<void> {
    this.#run ??= this.#apply().finally(() => {
      this.#run = null;
      // The timer for settlements during this run may have fired in it.
      if (!this.#pending.isEmpty) this.#scheduleApply(APPLY_MS);
    });
    return this.#run;
  }

  async #apply(): Promise<void> {
    if (this.#leftovers.length > 0) await this.recover();
    // Later settlements wait for the next batch. Otherwise a busy server would write one batch after
    // another.
    const target = this.#written;
    while (this.#batch !== null || this.#applied < target) {
      // If the result of a commit is unknown, the same batch is repeated. The database knows how much it
      // has applied.
      if (this.#batch === null) {
        this.#batch = { journal: this.#id, upTo: this.#written, charges: this.#pending.list() };
        this.#pending = new BudgetChargeAccumulator();
        // Lines must be on disk before they are counted. Otherwise a crash would count them twice.
        await this.#writer.stored();
      }
      const batch = this.#batch;
      const spent = await applyJournalBatch(this.#options, batch);
      this.#batch = null;
      this.#applied = batch.upTo;
      this.#options.afterSpent(spent);
      await this.#removeDone();
    }
  }

  /**
   * Deletes applied files without open reservations, oldest first, because a reservation must not outlast
   * its settlement.
   */
  async #removeDone(): Promise<void> {
    let oldest = Number.POSITIVE_INFINITY;
    this.#open.visit((line) => {
      oldest = Math.min(oldest, line);
    });
    for (;;) {
      const [first] = this.#segments;
      if (!first?.segment.closed || first.last > this.#applied || first.last >= oldest) return;
      this.#segments.shift();
      await (this.#options.files ?? diskSpoolFileSystem).remove(first.segment.path);
    }
  }
}
