import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
/** A network: an address in it, and how many of its bits count. */
export type IpNetwork = readonly [IpAddress, number];

/** @param texts each as `10.0.0.0/8` or a single address */
export function parseNetworks(texts: readonly string[]): readonly IpNetwork[] {
  return texts.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const ip = ipaddr.parse(text);
    return [ip, ip.kind() === 'ipv4' ? 32 : 128];
  });
}

export function isInNetworks(ip: IpAddress, networks: readonly IpNetwork[]): boolean {
  return networks.some(([network, bits]) => network.kind() === ip.kind() && ip.match([network, bits]));
}

/** The address a canonical text stands for, without its zone; null for what is none, other spellings included. */
export function parseIpAddress(text: string): IpAddress | null {
  const bare = text.replace(/%.*$/, '');
  return isIP(bare) === 0 ? null : ipaddr.parse(bare);
}

/** The host of a URL as a resolver takes it: an IPv6 address without the brackets it has there (RFC 3986, 3.2.2). */
export function unbracketHost({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
