import { join } from 'node:path';
import type { RowSink } from '../store-interfaces.ts';
import { formatExchangeRowLine } from './exchange-row-lines.ts';
import { openSpool, type SpoolOptions } from './spool.ts';

export interface RowSinkOptions extends Omit<SpoolOptions, 'directory'> {
  /**
   * The data directory. This process must have its lock (`lockDataDir`), because every file in the spool is
   * processed.
   */
  readonly dataDir: string;
}

/**
 * Opens the spool `<dataDir>/spool`. Rows are written to a file, and later to the database, where their ids
 * prevent duplicates. If the process is killed, only rows of the last 10 ms can be lost. After a power
 * failure, only rows of the last 250 ms can be lost (on a disk that syncs within 50 ms).
 */
export function openExchangeRowSink(options: RowSinkOptions): Promise<RowSink> {
  return openSink({ ...options, directory: 'spool' }, formatExchangeRowLine);
}

/** Opens a separate spool below `dataDir` for other rows. Each row is stored as a line of JSON. */
export function openJsonRowSink<Row extends object>(
  options: RowSinkOptions & { readonly directory: string },
): Promise<RowSink<Row>> {
  return openSink(options, JSON.stringify);
}

async function openSink<Row extends object>(
  { dataDir, directory, ...options }: RowSinkOptions & { readonly directory: string },
  lineOf: (row: Row) => string,
): Promise<RowSink<Row>> {
  const spool = await openSpool({ ...options, directory: join(dataDir, directory) });
  return {
    append: (row) => spool.append(lineOf(row)),
    backlog: () => spool.backlog(),
    completeUntil: () => spool.completeUntil(),
    stored: () => spool.stored(),
    flush: (timeoutMs) => spool.flush(timeoutMs),
    close: () => spool.close(),
  };
}
