import { systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type BundleKey, deriveBundleKey } from '../relay/bundle.ts';
import { createOrgRelays, type OrgRelays } from '../relay/org-relays.ts';
import { RelaySessions } from '../relay/relay-sessions.ts';
import type { Database, RowSink } from '../store/ports.ts';
import { ingestRelayRegion, type RelayRow } from '../store/relay/ingest-relay-region.ts';
import { openJsonSink } from '../store/spool/row-sink.ts';

/** The relay components that exist until the process ends. */
export interface RelayComponents {
  readonly relays: OrgRelays;
  readonly rows: RowSink<RelayRow>;
  readonly sessions: RelaySessions;
  readonly bundleKey: BundleKey;
}

/** Loads the relay rules and starts the relay sessions. */
export async function openRelayComponents(
  dataDir: string,
  secretKey: Uint8Array,
  database: Database,
  log: Log,
): Promise<RelayComponents> {
  const clock = systemClock;
  const rows = await openJsonSink<RelayRow>({
    dataDir,
    directory: 'relay-spool',
    database: { ingest: (region) => ingestRelayRegion(database, region) },
    log,
    clock,
  });
  const relays = createOrgRelays();
  const sessions = new RelaySessions(database, relays, clock, log);
  sessions.start();
  return { relays, rows, sessions, bundleKey: deriveBundleKey(secretKey) };
}

/** Stores the relay's remaining data, and stops the relay. */
export async function closeRelayComponents(
  { rows, sessions }: RelayComponents,
  flushMs: number,
  log: Log,
): Promise<void> {
  await sessions.close();
  await rows.flush(flushMs).catch((error: unknown) => {
    log.warn(
      { err: error },
      'relay decisions remain in the spool and will be stored in the database at the next start',
    );
  });
  await rows.close();
}
