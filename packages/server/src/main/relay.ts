import type { OrgConfig, RelayConfig } from '@floe/contract/config';
import { systemClock } from '../core/clock.ts';
import type { RelayHost } from '../management/relay/relay-host.ts';
import { Approvals } from '../relay/approvals.ts';
import { Decisions } from '../relay/decisions.ts';
import type { Parts } from './parts.ts';

/** What the verbs of the relay stand on, from the parts of the process and what the file says now. */
export function assembleRelay(parts: Parts, place: { readonly url: string }): RelayHost {
  const { database, relay } = parts;
  const { relays, rows, sessions, bundleKey } = relay;
  const approvals = new Approvals({ database, clock: systemClock, baseUrl: () => place.url });
  return {
    decisions: new Decisions({ relays, rows, sessions, approvals, clock: systemClock }),
    relays,
    approvals,
    rows,
    bundleKey,
  };
}

/** What is in force about the relay of every org, but for the rules of the API. */
export function relayConfigs(orgs: readonly OrgConfig[]): ReadonlyMap<string, RelayConfig> {
  return new Map(orgs.map((org) => [org.id, org.relay]));
}
