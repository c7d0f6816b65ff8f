import type { FloeConfig, OrgConfig } from '@floe/contract/config';
import {
  createOutboundGuard,
  type OutboundAccessSettings,
  type OutboundGuard,
} from '../core/outbound-guard.ts';
import {
  resolveOutboundConnections,
  type ResolvedOutboundConnections as Ways,
} from '../providers/outbound.ts';

/** The guard and the connection options for all outgoing calls of the process. */
export interface OutboundAccess {
  readonly guard: OutboundGuard;
  /** Returns the proxy and certificate authorities for calls that do not go to a provider. */
  readonly via: Ways['via'];
  /**
   * Applies a changed configuration. `origins` are the origins of providers for which floe.yaml contains only
   * the kind.
   */
  configure(config: FloeConfig, orgCount: number, origins: readonly string[]): void;
}

/**
 * Creates the process's outbound guard, which uses the current configuration.
 * @throws OutboundConfigError
 */
export function createOutboundAccess(
  config: FloeConfig,
  variable: (name: string) => string | undefined,
): OutboundAccess {
  const waysOf = (current: FloeConfig) => resolveOutboundConnections([current.outbound], variable);
  let ways = waysOf(config);
  let named = { config, urls: findUrls(config) };
  let rules = toOutboundRules(named, 0, ways.proxies);
  return {
    guard: createOutboundGuard(() => rules),
    via: (origin) => ways.via(origin),
    configure(changed, orgCount, origins) {
      ways = waysOf(changed);
      // A change through the API leaves the file as it is.
      if (named.config !== changed) named = { config: changed, urls: findUrls(changed) };
      rules = toOutboundRules(named, orgCount, [...ways.proxies, ...origins]);
    },
  };
}

function toOutboundRules(
  { config, urls }: { readonly config: FloeConfig; readonly urls: readonly string[] },
  orgCount: number,
  origins: readonly string[],
): OutboundAccessSettings {
  return {
    allowPrivate: Math.max(orgCount, config.orgs.length) <= 1,
    privateNetworks: config.security.private_networks,
    namedHosts: new Set([...urls, ...origins].flatMap(hostPorts)),
  };
}

/** The URLs of each organization. A reload keeps the objects of unchanged organizations. */
const urlsByOrg = new WeakMap<OrgConfig, readonly string[]>();

/** Returns all URLs in a configuration. */
function findUrls({ orgs, ...installation }: FloeConfig): string[] {
  const urls: string[] = [];
  collectUrls(installation, urls);
  for (const org of orgs) {
    const own: string[] = [];
    const known = urlsByOrg.get(org);
    if (!known) collectUrls(org, own);
    urlsByOrg.set(org, known ?? own);
    urls.push(...(known ?? own));
  }
  return urls;
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
