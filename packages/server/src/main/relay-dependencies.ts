import type { OrgConfig, RelayConfig } from '@floe/contract/config';
import { systemClock } from '../core/clock.ts';
import type { RelayDependencies } from '../management/relay/relay-dependencies.ts';
import { RelayDecisionEngine } from '../relay/decision-engine.ts';
import { RelayApprovals } from '../relay/relay-approvals.ts';
import type { ServerComponents } from './server-components.ts';

/** Creates the dependencies of the relay operations. */
export function createRelayDependencies(
  parts: ServerComponents,
  place: { readonly url: string },
): RelayDependencies {
  const { database, relay } = parts;
  const { relays, rows, sessions, bundleKey } = relay;
  const approvals = new RelayApprovals({ database, clock: systemClock, baseUrl: () => place.url });
  return {
    decisionEngine: new RelayDecisionEngine({ relays, rows, sessions, approvals, clock: systemClock }),
    orgRelays: relays,
    approvals,
    rowSink: rows,
    bundleKey,
  };
}

/**
 * Returns every organization's relay configuration by organization id, without rules that were
 * created with the API.
 */
export function collectRelayConfigs(orgs: readonly OrgConfig[]): ReadonlyMap<string, RelayConfig> {
  return new Map(orgs.map((org) => [org.id, org.relay]));
}
