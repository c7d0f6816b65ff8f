import { BlockList, isIPv6 } from 'node:net';

/**
 * Who asks: the peer, or, when the peer is a proxy that is trusted, the last address of `x-forwarded-for` that is none.
 * Anything further left was written by somebody nobody vouches for.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
  isProxy: (address: string) => boolean,
): string {
  let address = plain(peer ?? 'unknown');
  const hops = [forwardedFor ?? []].flat().join(',').split(',');
  for (let hop = hops.pop(); hop !== undefined && isProxy(address); hop = hops.pop()) {
    const next = plain(hop.trim());
    if (!isAddress(next)) break;
    address = next;
  }
  return address;
}

/** Judges addresses against `server.trusted_proxies`: addresses and networks. */
export function proxyTest(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => false;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isAddress(address) && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function isAddress(text: string): boolean {
  return isIPv6(text) || /^\d{1,3}(\.\d{1,3}){3}$/.test(text);
}

/** `::ffff:10.0.0.1` is 10.0.0.1 on a socket for both; `[::1]:443` and `1.2.3.4:443` are how some proxies write. */
function plain(address: string): string {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
  const unmapped = /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare;
  return unmapped.replace(/%.*$/, '');
}
