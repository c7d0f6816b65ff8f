import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
/** An IP network: an address and the length of its prefix in bits. */
export type IpNetwork = readonly [IpAddress, number];

/**
 * Parses IP networks.
 * @param texts networks such as `10.0.0.0/8`, or single addresses
 * @throws Error if a text is neither a network nor an address
 */
export function parseNetworks(texts: readonly string[]): readonly IpNetwork[] {
  return texts.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const ip = ipaddr.parse(text);
    return [ip, ip.kind() === 'ipv4' ? 32 : 128];
  });
}

/** Returns whether an address is in one of the networks. */
export function isInNetworks(ip: IpAddress, networks: readonly IpNetwork[]): boolean {
  return networks.some(([network, bits]) => network.kind() === ip.kind() && ip.match([network, bits]));
}

/**
 * Parses an IP address in canonical form and removes its zone. Returns null for any other text,
 * including other spellings of an address.
 */
export function parseIpAddress(text: string): IpAddress | null {
  const bare = text.replace(/%.*$/, '');
  return isIP(bare) === 0 ? null : ipaddr.parse(bare);
}

/**
 * Returns the host of a URL in the form that resolvers accept: an IPv6 address has no brackets (RFC 3986,
 * section 3.2.2).
 */
export function getHostWithoutBrackets({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * Returns the network that limits per client address apply to: the address itself, or the /64 network of an
 * IPv6 address, because a customer usually has at least a /64 network.
 */
export function toClientNetwork(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0');
  return `${[...groups, ...after].slice(0, 4).join(':')}::/64`;
}
