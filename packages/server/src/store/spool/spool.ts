import { join } from 'node:path';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../store-interfaces.ts';
import { SpoolDrain } from './spool-drain.ts';
import { diskSpoolFileSystem, type SpoolFileSystem } from './spool-file-system.ts';
import { createClosedSpoolSegment, parseSpoolSegmentNumber, type SpoolSegment } from './spool-segment.ts';
import { SpoolWriter } from './spool-writer.ts';

export interface SpoolOptions {
  /**
   * The directory of the spool. This process must have the lock on it (`lockDataDir`), because every file in
   * it is processed.
   */
  readonly directory: string;
  /** Receives the rows on disk. It must ignore rows whose id already exists. */
  readonly database: Pick<Database, 'ingest'>;
  readonly log: Log;
  readonly clock: Clock;
  /** The file operations. Only tests set it. */
  readonly files?: SpoolFileSystem;
}

/** A position in the spool, and the time before which all rows up to it were appended. */
interface Mark {
  readonly segment: SpoolSegment;
  readonly upTo: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Writes lines to the database through files, so that no line is lost if the process is killed. */
export class Spool {
  readonly #writer: SpoolWriter;
  readonly #drain: SpoolDrain;
  readonly #clock: Clock;
  #mark: Mark | null = null;
  #completeUntil = 0;

  constructor(writer: SpoolWriter, drain: SpoolDrain, clock: Clock) {
    this.#writer = writer;
    this.#drain = drain;
    this.#clock = clock;
  }

  /** @param line JSON on one line */
  append(line: string): void {
    this.#writer.append(line);
  }

  /** Returns the number of lines that are not in the database. */
  backlog(): number {
    return this.#writer.bufferedRows + this.#drain.waitingRows;
  }

  /**
   * Returns the Unix milliseconds before which all appended rows are in the database, or in a file that was skipped.
   * While rows arrive all the time, it is a few hundred milliseconds in the past. It is 0 until the rows of an earlier
   * process are in the database.
   */
  completeUntil(): number {
    if (this.backlog() === 0) this.#completeUntil = this.#clock.now();
    else this.#checkMark();
    return this.#completeUntil;
  }

  /** Must be called when rows have been written to `segment`. */
  markWritten(segment: SpoolSegment): void {
    this.#checkMark();
    this.#mark ??= { segment, upTo: segment.written, at: segment.writtenUntil };
  }

  #checkMark(): void {
    if (!this.#mark) return;
    const { segment, upTo, at } = this.#mark;
    if (!segment.skipped && segment.ingestedBytes < upTo) return;
    this.#completeUntil = Math.max(this.#completeUntil, at);
    this.#mark = null;
  }

  /** Resolves when everything appended so far is on disk. */
  stored(): Promise<void> {
    return this.#writer.stored();
  }

  /** Resolves when everything appended so far is in the database. Rejects after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(timeoutMs, () =>
      late.reject(
        new Fault(
          'overloaded',
          `${this.backlog()} rows in the spool are not in the database yet. Retry later.`,
        ),
      ),
    );
    try {
      await Promise.race([late.promise, this.#flush()]);
    } finally {
      timer.cancel();
    }
  }

  async #flush(): Promise<void> {
    await this.stored();
    await this.#drain.waitUntilDrained();
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#drain.close();
  }
}

/** Opens a spool and starts to process the files that an earlier process left. */
export async function openSpool({
  directory,
  database,
  clock,
  log,
  files = diskSpoolFileSystem,
}: SpoolOptions): Promise<Spool> {
  const found = [];
  for (const { name, size } of await files.list(directory)) {
    const number = parseSpoolSegmentNumber(name);
    if (number !== null)
      found.push({ number, segment: createClosedSpoolSegment(join(directory, name), size) });
  }
  found.sort((one, other) => one.number - other.number);
  const leftovers = found.map(({ segment }) => segment);
  if (leftovers.length > 0)
    log.info(
      { files: leftovers.length, directory },
      'earlier process left rows in the spool; storing these rows in the database',
    );
  const drain = new SpoolDrain({ database, files, clock, log }, leftovers);
  const writer = new SpoolWriter({
    directory,
    firstNumber: (found.at(-1)?.number ?? 0) + 1,
    files,
    clock,
    log,
    onOpened: (segment) => drain.add(segment),
    onWritten: (segment) => {
      drain.wake(segment);
      spool.markWritten(segment);
    },
  });
  const spool = new Spool(writer, drain, clock);
  return spool;
}
