import type { FloeConfig } from '@floe/contract/config';
import { createOutboundGuard, type OutboundGuard, type OutboundRules } from '../core/outbound-guard.ts';
import { resolveOutbound, type ResolvedOutbound as Ways } from '../providers/outbound.ts';

export interface OutboundAccess {
  readonly guard: OutboundGuard;
  /** Proxy and authorities of calls that belong to no provider. */
  readonly via: Ways['via'];
  /** Judges by this configuration from now on; `origins` are addresses its short forms stand for. */
  configure(config: FloeConfig, orgCount: number, origins: readonly string[]): void;
}

/** One guard for everything the process calls, following the configuration. @throws OutboundConfigError */
export function createOutboundAccess(
  config: FloeConfig,
  variable: (name: string) => string | undefined,
): OutboundAccess {
  const waysOf = (current: FloeConfig) => resolveOutbound([current.outbound], variable);
  let ways = waysOf(config);
  let rules = toOutboundRules(config, 0, ways.proxies);
  return {
    guard: createOutboundGuard(() => rules),
    via: (origin) => ways.via(origin),
    configure(changed, orgCount, origins) {
      ways = waysOf(changed);
      rules = toOutboundRules(changed, orgCount, [...ways.proxies, ...origins]);
    },
  };
}

function toOutboundRules(config: FloeConfig, orgCount: number, origins: readonly string[]): OutboundRules {
  return {
    allowPrivate: Math.max(orgCount, config.orgs.length) <= 1,
    privateNetworks: config.security.private_networks,
    namedHosts: new Set([...findUrls(config), ...origins].flatMap(hostPorts)),
  };
}

/** Every text of the configuration that is an address. */
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

/** `host:port`, as the guard looks it up. */
function hostPorts(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { hostname, port, protocol } = new URL(address);
  return [`${hostname.replace(/^\[|\]$/g, '').toLowerCase()}:${port || DEFAULT_PORTS[protocol]}`];
}
