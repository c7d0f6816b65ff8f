import type { OrgConfig, RelayConfig } from '@floe/contract/config';
import { systemClock } from '../core/clock.ts';
import type { RelayDependencies } from '../management/relay/relay-dependencies.ts';
import { Approvals } from '../relay/approvals.ts';
import { DecisionEngine } from '../relay/decision-engine.ts';
import type { ServerComponents } from './server-components.ts';

/** What the verbs of the relay stand on, from the parts of the process and what the file says now. */
export function assembleRelay(parts: ServerComponents, place: { readonly url: string }): RelayDependencies {
  const { database, relay } = parts;
  const { relays, rows, sessions, bundleKey } = relay;
  const approvals = new Approvals({ database, clock: systemClock, baseUrl: () => place.url });
  return {
    decisionEngine: new DecisionEngine({ relays, rows, sessions, approvals, clock: systemClock }),
    orgRelays: relays,
    approvals,
    rowSink: rows,
    bundleKey,
  };
}

/** What is in force about the relay of every org, but for the rules of the API. */
export function collectRelayConfigs(orgs: readonly OrgConfig[]): ReadonlyMap<string, RelayConfig> {
  return new Map(orgs.map((org) => [org.id, org.relay]));
}
