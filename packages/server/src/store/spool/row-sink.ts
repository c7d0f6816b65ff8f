import { join } from 'node:path';
import type { RowSink } from '../ports.ts';
import { formatRowLine } from './row-lines.ts';
import { openSpool, type SpoolOptions } from './spool.ts';

export interface RowSinkOptions extends Omit<SpoolOptions, 'directory'> {
  /** Must be held by this process alone (`lockDataDir`): every file in its spool is replayed. */
  readonly dataDir: string;
}

/**
 * Opens the spool `<dataDir>/spool`: rows go to a file first and from there into the database, where
 * their ids make a second time harmless. A killed process loses nothing appended more than 10 ms
 * before, a power cut nothing older than 250 ms (on a disk that syncs within 50 ms).
 */
export function openRowSink(options: RowSinkOptions): Promise<RowSink> {
  return openSink({ ...options, directory: 'spool' }, formatRowLine);
}

/** The same for rows of another kind, each a line of JSON, in a spool of their own below `dataDir`. */
export function openJsonSink<Row extends object>(
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
    flush: (timeoutMs) => spool.flush(timeoutMs),
    close: () => spool.close(),
  };
}
