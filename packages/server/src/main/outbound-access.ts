import type { FloeConfig } from '@floe/contract/config';
import {
  createOutboundGuard,
  type OutboundAccessSettings,
  type OutboundGuard,
} from '../core/outbound-guard.ts';
import {
  type OutboundConfigError,
  resolveOutboundConnections,
  type ResolvedOutboundConnections as Ways,
} from '../providers/outbound-connections.ts';

/** The guard and the connection options for all outgoing calls of the process. */
export interface OutboundAccess {
  readonly guard: OutboundGuard;
  /** Returns the proxy and certificate authorities for calls that do not go to a provider. */
  readonly via: Ways['via'];
  /**
   * Applies a changed configuration. `byOrg` contains the origins of each organization's providers, because floe.yaml
   * may contain only the kind of a provider and no URL. Returns an error if a file of `outbound` cannot be read any
   * more. Its last known content is then used.
   * @throws OutboundConfigError if a file cannot be read and was never read before. Nothing is changed in this case.
   */
  configure(config: FloeConfig, orgCount: number, byOrg: NamedOriginsByOrg): OutboundConfigError | null;
}

type NamedOriginsByOrg = ReadonlyMap<string, { readonly namedOrigins: readonly string[] }>;

/**
 * Creates the outbound guard of the process. The guard uses the current configuration.
 * @throws OutboundConfigError
 */
export function createOutboundAccess(
  config: FloeConfig,
  variable: (name: string) => string | undefined,
): OutboundAccess {
  const waysOf = (current: FloeConfig) => resolveOutboundConnections([current.outbound], variable);
  let ways = waysOf(config);
  let rules = toOutboundRules(config, 0, (orgId) => findNamedHosts(config, orgId, ways.proxies));
  return {
    guard: createOutboundGuard(() => rules),
    via: (origin) => ways.via(origin),
    configure(changed, orgCount, byOrg) {
      ways = waysOf(changed);
      rules = toOutboundRules(changed, orgCount, (orgId) => {
        const own = orgId === null ? [] : (byOrg.get(orgId)?.namedOrigins ?? []);
        return findNamedHosts(changed, orgId, [...ways.proxies, ...own]);
      });
      return ways.staleFile;
    },
  };
}

function toOutboundRules(
  config: FloeConfig,
  orgCount: number,
  findHosts: (orgId: string | null) => ReadonlySet<string>,
): OutboundAccessSettings {
  // Only organizations that call private addresses have an entry.
  const found = new Map<string | null, ReadonlySet<string>>();
  return {
    allowPrivate: Math.max(orgCount, config.orgs.length) <= 1,
    privateNetworks: config.security.private_networks,
    namedHosts(orgId) {
      const hosts = found.get(orgId) ?? findHosts(orgId);
      found.set(orgId, hosts);
      return hosts;
    },
  };
}

/** Returns the addresses that floe.yaml contains for an organization, or for the installation itself. */
function findNamedHosts(
  { orgs, ...installation }: FloeConfig,
  orgId: string | null,
  origins: readonly string[],
): ReadonlySet<string> {
  const urls: string[] = [];
  collectUrls(orgId === null ? installation : orgs.find(({ id }) => id === orgId), urls);
  return new Set([...urls, ...origins].flatMap(hostPorts));
}

function collectUrls(value: unknown, urls: string[]): void {
  if (typeof value === 'string') {
    if (/^(https?|smtps?):\/\//.test(value)) urls.push(value);
  } else if (typeof value === 'object' && value !== null)
    for (const child of Object.values(value)) collectUrls(child, urls);
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'smtp:': 587,
  'smtps:': 465,
};

/** Returns `host:port` in the form that the guard compares. Empty for an invalid URL. */
function hostPorts(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { hostname, port, protocol } = new URL(address);
  return [`${hostname.replace(/^\[|\]$/g, '').toLowerCase()}:${port || DEFAULT_PORTS[protocol]}`];
}
