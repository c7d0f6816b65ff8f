import type { Actor } from '../../platform/actor.ts';
import type { Approvals } from '../../relay/approvals.ts';
import type { Asker } from '../../relay/asker.ts';
import type { BundleKey } from '../../relay/bundle.ts';
import type { Decisions } from '../../relay/decisions.ts';
import type { OrgRelays } from '../../relay/org-relays.ts';
import type { RowSink } from '../../store/ports.ts';
import type { RelayRow } from '../../store/relay/ingest.ts';

/** What the verbs of the relay stand on. */
export interface RelayHost {
  readonly decisions: Decisions;
  readonly relays: OrgRelays;
  readonly approvals: Approvals;
  readonly rows: Pick<RowSink<RelayRow>, 'append'>;
  readonly bundleKey: BundleKey;
}

/** Who asks, as rules and the log name them. */
export function askerOf({ orgId, key, member }: Actor): Asker {
  if (key) return { orgId, keyId: key.id, key: key.name, team: key.team, owner: key.owner };
  const { id, email, team } = member ?? { id: '', email: '', team: null };
  return { orgId, keyId: id, key: email, team, owner: email };
}
