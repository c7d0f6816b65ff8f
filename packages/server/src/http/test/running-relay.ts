import type { OrgConfig } from '@floe/contract/config';
import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import type { RelayDependencies } from '../../management/relay/relay-dependencies.ts';
import { deriveBundleSigningKey } from '../../relay/bundle.ts';
import { RelayDecisionEngine } from '../../relay/decision-engine.ts';
import { RelayApprovals } from '../../relay/relay-approvals.ts';
import { createRelayConfigRegistry } from '../../relay/relay-config-registry.ts';
import { RelaySessionTracker } from '../../relay/relay-session-tracker.ts';
import { loadStoredRelayRules } from '../../relay/stored-relay-rules.ts';
import { ingestRelaySpoolRegion, type RelaySpoolRow } from '../../store/relay/ingest-relay-spool-region.ts';
import { openJsonRowSink } from '../../store/spool/row-sink.ts';
import type { Database, RowSink } from '../../store/store-interfaces.ts';

/** The relay parts of a running API. */
export interface RunningRelay {
  readonly host: RelayDependencies;
  readonly sessions: RelaySessionTracker;
  readonly rows: RowSink<RelaySpoolRow>;
  /** Applies the current configuration, like a new snapshot. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export async function runRelay(
  database: Database,
  clock: Clock,
  dataDir: string,
  inForce: () => readonly OrgConfig[],
): Promise<RunningRelay> {
  const rows = await openJsonRowSink<RelaySpoolRow>({
    dataDir,
    directory: 'relay-spool',
    database: { ingest: (region) => ingestRelaySpoolRegion(database, region) },
    log: silentLog,
    clock,
  });
  const relays = createRelayConfigRegistry();
  const sessions = new RelaySessionTracker(database, relays, clock, silentLog);
  const approvals = new RelayApprovals({ database, clock, baseUrl: () => 'https://floe.example' });
  const decisions = new RelayDecisionEngine({ relays, rows, sessions, approvals, clock });
  const configs = () => new Map(inForce().map(({ id, relay }) => [id, relay]));
  const renew = async () => {
    relays.update(configs(), (await loadStoredRelayRules(database.read)).byOrg);
  };
  await renew();
  return {
    host: {
      decisionEngine: decisions,
      orgRelays: relays,
      approvals,
      rowSink: rows,
      bundleKey: deriveBundleSigningKey(Buffer.alloc(32, 9)),
    },
    sessions,
    rows,
    renew,
    async close() {
      await sessions.close();
      await rows.close();
    },
  };
}
