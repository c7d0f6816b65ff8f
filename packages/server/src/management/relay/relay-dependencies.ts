import type { Actor } from '../../platform/actor.ts';
import type { BundleSigningKey } from '../../relay/bundle.ts';
import type { RelayDecisionEngine } from '../../relay/decision-engine.ts';
import type { RelayApprovals } from '../../relay/relay-approvals.ts';
import type { RelayCaller } from '../../relay/relay-caller.ts';
import type { RelayConfigRegistry } from '../../relay/relay-config-registry.ts';
import type { RelaySpoolRow } from '../../store/relay/ingest-relay-spool-region.ts';
import type { RowSink } from '../../store/store-interfaces.ts';

/** The dependencies of the relay operations. */
export interface RelayDependencies {
  readonly decisionEngine: RelayDecisionEngine;
  readonly orgRelays: RelayConfigRegistry;
  readonly approvals: RelayApprovals;
  readonly rowSink: Pick<RowSink<RelaySpoolRow>, 'append'>;
  readonly bundleKey: BundleSigningKey;
}

/** Converts an actor to the form in which rules and the decision log identify it. */
export function toRelayCaller({ orgId, key, member }: Actor): RelayCaller {
  if (key) return { orgId, keyId: key.id, keyName: key.name, team: key.team, owner: key.owner };
  const { id, email, team } = member ?? { id: '', email: '', team: null };
  return { orgId, keyId: id, keyName: email, team, owner: email };
}

/**
 * Returns the id of the key whose approvals and reports an actor may read. Undefined if the actor may read
 * those of all keys. Any actor that can list approvals (`GET /api/management/relay/approvals`) may read those
 * of all keys.
 */
export function resolveReadableKeyId(actor: Actor): string | undefined {
  const readsAll = actor.scopes.has('management') || actor.scopes.has('read');
  return readsAll ? undefined : toRelayCaller(actor).keyId;
}
