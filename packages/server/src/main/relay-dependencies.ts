import type { OrgConfig, RelayConfig } from '@floe/contract/config';
import { systemClock } from '../core/clock.ts';
import type { RelayDependencies } from '../management/relay/relay-dependencies.ts';
import { RelayApprovals } from '../relay/approvals.ts';
import { DecisionEngine } from '../relay/decision-engine.ts';
import type { ServerComponents } from './server-components.ts';

/** Creates the dependencies of the verbs of the relay. */
export function createRelayDependencies(
  parts: ServerComponents,
  place: { readonly url: string },
): RelayDependencies {
  const { database, relay } = parts;
  const { relays, rows, sessions, bundleKey } = relay;
  const approvals = new RelayApprovals({ database, clock: systemClock, baseUrl: () => place.url });
  return {
    decisionEngine: new DecisionEngine({ relays, rows, sessions, approvals, clock: systemClock }),
    orgRelays: relays,
    approvals,
    rowSink: rows,
    bundleKey,
  };
}

/** The relay configuration of every organization, by organization id, without the rules of the API. */
export function collectRelayConfigs(orgs: readonly OrgConfig[]): ReadonlyMap<string, RelayConfig> {
  return new Map(orgs.map((org) => [org.id, org.relay]));
}
