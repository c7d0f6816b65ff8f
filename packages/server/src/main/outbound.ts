import type { FloeConfig } from '@floe/contract/config';
import { createOutboundGuard, type OutboundGuard, type OutboundRules } from '../core/outbound.ts';
import { resolveOutbound, type Outbound as Ways } from '../providers/outbound.ts';

export interface Outbound {
  readonly guard: OutboundGuard;
  /** Proxy and authorities of calls that belong to no provider. */
  readonly via: Ways['via'];
  /** Judges by this configuration from now on; `origins` are addresses its short forms stand for. */
  use(config: FloeConfig, orgCount: number, origins: readonly string[]): void;
}

/** One guard for everything the process calls, following the configuration. @throws OutboundUnusable */
export function createOutbound(config: FloeConfig, variable: (name: string) => string | undefined): Outbound {
  const waysOf = (current: FloeConfig) => resolveOutbound([current.outbound], variable);
  let ways = waysOf(config);
  let rules = rulesOf(config, 0, ways.proxies);
  return {
    guard: createOutboundGuard(() => rules),
    via: (origin) => ways.via(origin),
    use(changed, orgCount, origins) {
      ways = waysOf(changed);
      rules = rulesOf(changed, orgCount, [...ways.proxies, ...origins]);
    },
  };
}

function rulesOf(config: FloeConfig, orgCount: number, origins: readonly string[]): OutboundRules {
  return {
    trustPrivate: Math.max(orgCount, config.orgs.length) <= 1,
    privateNetworks: config.security.private_networks,
    named: new Set([...addressesIn(config), ...origins].flatMap(placeOf)),
  };
}

/** Every text of the configuration that is an address. */
function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return /^(https?|smtps?):\/\//.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(addressesIn);
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'smtp:': 587, 'smtps:': 465 };

/** `host:port`, as the guard looks it up. */
function placeOf(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { hostname, port, protocol } = new URL(address);
  return [`${hostname.replace(/^\[|\]$/g, '').toLowerCase()}:${port || PORTS[protocol]}`];
}
