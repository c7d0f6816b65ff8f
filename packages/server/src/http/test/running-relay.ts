import type { OrgConfig } from '@floe/contract/config';
import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import type { RelayDependencies } from '../../management/relay/relay-dependencies.ts';
import { RelayApprovals } from '../../relay/approvals.ts';
import { deriveBundleKey } from '../../relay/bundle.ts';
import { DecisionEngine } from '../../relay/decision-engine.ts';
import { createOrgRelays } from '../../relay/org-relays.ts';
import { RelaySessions } from '../../relay/relay-sessions.ts';
import { loadStoredRelayRules } from '../../relay/stored-relay-rules.ts';
import type { Database, RowSink } from '../../store/ports.ts';
import { ingestRelayRegion, type RelayRow } from '../../store/relay/ingest-relay-region.ts';
import { openJsonSink } from '../../store/spool/row-sink.ts';

/** The relay parts of a running API. */
export interface RunningRelay {
  readonly host: RelayDependencies;
  readonly sessions: RelaySessions;
  readonly rows: RowSink<RelayRow>;
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
  const rows = await openJsonSink<RelayRow>({
    dataDir,
    directory: 'relay-spool',
    database: { ingest: (region) => ingestRelayRegion(database, region) },
    log: silentLog,
    clock,
  });
  const relays = createOrgRelays();
  const sessions = new RelaySessions(database, relays, clock, silentLog);
  const approvals = new RelayApprovals({ database, clock, baseUrl: () => 'https://floe.example' });
  const decisions = new DecisionEngine({ relays, rows, sessions, approvals, clock });
  const configs = () => new Map(inForce().map(({ id, relay }) => [id, relay]));
  const renew = async () => relays.update(configs(), (await loadStoredRelayRules(database.read)).byOrg);
  await renew();
  return {
    host: {
      decisionEngine: decisions,
      orgRelays: relays,
      approvals,
      rowSink: rows,
      bundleKey: deriveBundleKey(Buffer.alloc(32, 9)),
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
