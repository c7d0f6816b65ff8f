import { join } from 'node:path';
import type { ExchangeRow, RowSink } from '../ports.ts';
import { openSpool, type SpoolOptions } from './spool.ts';

export interface RowSinkOptions extends Omit<SpoolOptions, 'directory'> {
  /** Must be held by this process alone (`lockDataDir`): every file in its spool is replayed. */
  readonly dataDir: string;
  /** Below `dataDir`; one for each kind of rows. `spool` when absent. */
  readonly directory?: string;
}

/**
 * Opens the spool `<dataDir>/spool`: rows go to a file first and from there into the database, where
 * their ids make a second time harmless. A killed process loses nothing appended more than 10 ms
 * before, a power cut nothing older than 250 ms (on a disk that syncs within 50 ms).
 */
export async function openRowSink<Row extends object = ExchangeRow>({
  dataDir,
  directory = 'spool',
  ...options
}: RowSinkOptions): Promise<RowSink<Row>> {
  const spool = await openSpool({ ...options, directory: join(dataDir, directory) });
  return {
    append: (row) => spool.append(JSON.stringify(row)),
    backlog: () => spool.backlog(),
    flush: (timeoutMs) => spool.flush(timeoutMs),
    close: () => spool.close(),
  };
}
