import { systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type BundleSigningKey, deriveBundleSigningKey } from '../relay/bundle.ts';
import { createRelayConfigRegistry, type RelayConfigRegistry } from '../relay/relay-config-registry.ts';
import { RelaySessionTracker } from '../relay/relay-session-tracker.ts';
import { ingestRelaySpoolRegion, type RelaySpoolRow } from '../store/relay/ingest-relay-spool-region.ts';
import { openJsonRowSink } from '../store/spool/row-sink.ts';
import type { Database, RowSink } from '../store/store-interfaces.ts';

/** The relay components that exist until the process ends. */
export interface RelayComponents {
  readonly relays: RelayConfigRegistry;
  readonly rows: RowSink<RelaySpoolRow>;
  readonly sessions: RelaySessionTracker;
  readonly bundleKey: BundleSigningKey;
}

/** Opens the relay's spool and starts to track agent sessions. The relay rules are loaded later. */
export async function openRelayComponents(
  dataDir: string,
  secretKey: Uint8Array,
  database: Database,
  log: Log,
): Promise<RelayComponents> {
  const clock = systemClock;
  const rows = await openJsonRowSink<RelaySpoolRow>({
    dataDir,
    directory: 'relay-spool',
    database: { ingest: (region) => ingestRelaySpoolRegion(database, region) },
    log,
    clock,
  });
  const relays = createRelayConfigRegistry();
  const sessions = new RelaySessionTracker(database, relays, clock, log);
  sessions.start();
  return { relays, rows, sessions, bundleKey: deriveBundleSigningKey(secretKey) };
}
