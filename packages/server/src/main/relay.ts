import type { RelayConfig } from '@floe/contract/config';
import type { LoadedConfig } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import type { RelayHost } from '../management/relay/relay-host.ts';
import { Approvals } from '../relay/approvals.ts';
import { Decisions } from '../relay/decisions.ts';
import type { Parts } from './parts.ts';

/** What the verbs of the relay stand on, from the parts of the process and what the file says now. */
export function assembleRelay(
  parts: Parts,
  loaded: () => LoadedConfig,
  place: { readonly url: string },
): RelayHost {
  const { database, relay } = parts;
  const { relays, rows, sessions, bundleKey } = relay;
  const approvals = new Approvals({ database, clock: systemClock, baseUrl: () => place.url });
  return {
    decisions: new Decisions({ relays, rows, sessions, approvals, clock: systemClock }),
    relays,
    approvals,
    rows,
    bundleKey,
    fileRelay: (orgId) => fileRelayOf(loaded(), orgId),
  };
}

function fileRelayOf({ config, lineOf }: LoadedConfig, orgId: string): ReturnType<RelayHost['fileRelay']> {
  const at = config.orgs.findIndex(({ id }) => id === orgId);
  const org = config.orgs[at];
  if (!org) return null;
  return { config: org.relay, lineOf: (index) => lineOf(['orgs', at, 'relay', 'rules', index]) ?? null };
}

/** What the file says about the relay of every org. */
export function relayConfigs({ config }: LoadedConfig): ReadonlyMap<string, RelayConfig> {
  return new Map(config.orgs.map((org) => [org.id, org.relay]));
}
