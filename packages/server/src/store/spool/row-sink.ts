import { join } from 'node:path';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database, ExchangeRow, RowSink } from '../ports.ts';
import { leftover, segmentNumber } from './segment.ts';
import { SpoolDrain } from './spool-drain.ts';
import { diskFiles, type SpoolFiles } from './spool-files.ts';
import { SpoolWriter } from './spool-writer.ts';

export interface RowSinkOptions {
  /** Must be held by this process alone (`lockDataDir`): every file in its spool is replayed. */
  readonly dataDir: string;
  readonly database: Pick<Database, 'ingest'>;
  readonly log: Log;
  readonly clock: Clock;
  /** Below `dataDir`; one for each kind of rows. `spool` when absent. */
  readonly directory?: string;
  /** The disk unless a test passes one that fails. */
  readonly files?: SpoolFiles;
}

/**
 * Opens the spool `<dataDir>/spool`: rows go to a file first and from there into the database, where
 * their ids make a second time harmless. A killed process loses nothing appended more than 10 ms
 * before, a power cut nothing older than 250 ms (on a disk that syncs within 50 ms).
 */
export async function openRowSink<Row extends object = ExchangeRow>(
  options: RowSinkOptions,
): Promise<RowSink<Row>> {
  const { clock, log, database, files = diskFiles } = options;
  const directory = join(options.dataDir, options.directory ?? 'spool');
  const found = [];
  for (const { name, size } of await files.list(directory)) {
    const number = segmentNumber(name);
    if (number !== null) found.push({ number, segment: leftover(join(directory, name), size) });
  }
  found.sort((one, other) => one.number - other.number);
  const leftovers = found.map(({ segment }) => segment);
  if (leftovers.length > 0)
    log.info({ files: leftovers.length }, 'Taking rows of an earlier process into the database');
  const drain = new SpoolDrain({ database, files, clock, log }, leftovers);
  const writer = new SpoolWriter({
    directory,
    firstNumber: (found.at(-1)?.number ?? 0) + 1,
    files,
    clock,
    log,
    opened: (segment) => drain.add(segment),
    written: (segment) => drain.wake(segment),
  });
  return new SpooledRows<Row>(writer, drain, clock);
}

class SpooledRows<Row extends object> implements RowSink<Row> {
  readonly #writer: SpoolWriter;
  readonly #drain: SpoolDrain;
  readonly #clock: Clock;

  constructor(writer: SpoolWriter, drain: SpoolDrain, clock: Clock) {
    this.#writer = writer;
    this.#drain = drain;
    this.#clock = clock;
  }

  append(row: Row): void {
    this.#writer.append(JSON.stringify(row));
  }

  backlog(): number {
    return this.#writer.held + this.#drain.waiting;
  }

  async flush(timeoutMs: number): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(timeoutMs, () =>
      late.reject(new Fault('overloaded', `${this.backlog()} rows still wait for the database.`)),
    );
    try {
      await Promise.race([late.promise, this.#flush()]);
    } finally {
      timer.cancel();
    }
  }

  async #flush(): Promise<void> {
    await this.#writer.stored();
    await this.#drain.taken();
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#drain.close();
  }
}
