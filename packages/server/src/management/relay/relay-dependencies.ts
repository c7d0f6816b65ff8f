import type { Actor } from '../../platform/actor.ts';
import type { RelayApprovals } from '../../relay/approvals.ts';
import type { BundleKey } from '../../relay/bundle.ts';
import type { DecisionEngine } from '../../relay/decision-engine.ts';
import type { OrgRelays } from '../../relay/org-relays.ts';
import type { RelayCaller } from '../../relay/relay-caller.ts';
import type { RowSink } from '../../store/ports.ts';
import type { RelayRow } from '../../store/relay/ingest-relay-region.ts';

/** The dependencies of the relay operations. */
export interface RelayDependencies {
  readonly decisionEngine: DecisionEngine;
  readonly orgRelays: OrgRelays;
  readonly approvals: RelayApprovals;
  readonly rowSink: Pick<RowSink<RelayRow>, 'append'>;
  readonly bundleKey: BundleKey;
}

/** Converts an actor to the form in which rules and the decision log identify it. */
export function toRelayCaller({ orgId, key, member }: Actor): RelayCaller {
  if (key) return { orgId, keyId: key.id, keyName: key.name, team: key.team, owner: key.owner };
  const { id, email, team } = member ?? { id: '', email: '', team: null };
  return { orgId, keyId: id, keyName: email, team, owner: email };
}
