import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database, RowSink } from '../ports.ts';
import { openSpool } from '../spool/spool.ts';
import { ingestRelay, type RelayRow } from './ingest.ts';

export interface RelayRowsOptions {
  /** Must be held by this process alone (`lockDataDir`). */
  readonly dataDir: string;
  readonly database: Database;
  readonly log: Log;
  readonly clock: Clock;
}

/** Opens the spool `<dataDir>/relay-spool`, through which decisions and reports go into the database. */
export async function openRelayRows({
  dataDir,
  database,
  log,
  clock,
}: RelayRowsOptions): Promise<RowSink<RelayRow>> {
  const spool = await openSpool({
    directory: join(dataDir, 'relay-spool'),
    database: { ingest: (region) => ingestRelay(database, region) },
    log,
    clock,
  });
  return {
    append: (row) => spool.append(JSON.stringify(row)),
    backlog: () => spool.backlog(),
    flush: (timeoutMs) => spool.flush(timeoutMs),
    close: () => spool.close(),
  };
}
