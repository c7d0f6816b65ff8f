import type { FloeConfig } from '@floe/contract/config';
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

/** Returns all URLs in a configuration value. */
function findUrls(value: unknown): string[] {
  if (typeof value === 'string') return /^(https?|smtps?):\/\//.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(findUrls);
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
