import ipaddr from 'ipaddr.js';
import { type IpAddress, isInNetworks, parseIpAddress, parseNetworks } from './network.ts';

/** What of a request says where it came from; `IncomingMessage` has it, with repeated headers joined. */
export interface ClientAddressSource {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: {
    readonly 'x-forwarded-for'?: string | string[] | undefined;
    readonly 'x-forwarded-proto'?: string | string[] | undefined;
    readonly forwarded?: string | undefined;
  };
}

/** Where requests come from, as far as it can be known. */
export interface ClientAddressResolver {
  /**
   * IP address of the client, in its canonical form and without a port; '' when the connection is gone already.
   * Behind proxies that are trusted it is the nearest hop that is not one of them.
   */
  addressOf(request: ClientAddressSource): string;
  /** How the client reached the first trusted proxy; without one, `http`: Floe itself speaks no TLS. */
  protocolOf(request: ClientAddressSource): 'http' | 'https';
}

/** A chain longer than this is no chain of proxies. */
const MAX_HOPS = 32;

/**
 * Reads `X-Forwarded-For` or `Forwarded` (RFC 7239) from right to left, through trusted hops only: what stands left
 * of the first stranger is that stranger's word. A proxy that writes one of the two passes the other on as the
 * client sent it, so where both are present and disagree neither is believed.
 *
 * @param trusted networks of the proxies in front, as `10.0.0.0/8` or single addresses
 */
export function createClientAddressResolver(trusted: readonly string[]): ClientAddressResolver {
  const networks = parseNetworks(trusted);
  const isTrusted = (ip: IpAddress) => isInNetworks(ip, networks);

  /** Hops, the nearest first, each as its header wrote it; null when the headers contradict each other. */
  function readHops({ headers }: ClientAddressSource): readonly Hop[] | null {
    const listed = parseXForwardedFor(headers['x-forwarded-for'], headers['x-forwarded-proto']);
    if (headers.forwarded === undefined) return listed;
    const forwarded = parseForwardedHeader(headers.forwarded);
    if (headers['x-forwarded-for'] === undefined) return forwarded;
    const same = listed.map(canonicalHopAddress).join() === forwarded.map(canonicalHopAddress).join();
    return same ? forwarded.map((hop, at) => ({ ...hop, proto: hop.proto ?? listed[at]?.proto })) : null;
  }

  function resolveClient(request: ClientAddressSource): {
    readonly ip: IpAddress | null;
    readonly proto: string | undefined;
  } {
    let ip = parseHopAddress(request.socket.remoteAddress ?? '');
    let proto: string | undefined;
    if (ip === null || networks.length === 0 || !isTrusted(ip)) return { ip, proto };
    for (const hop of readHops(request)?.slice(0, MAX_HOPS) ?? []) {
      // What the trusted one before wrote about its own caller.
      proto = hop.proto ?? proto;
      const next = parseHopAddress(hop.text);
      if (next === null) break;
      ip = next;
      if (!isTrusted(ip)) break;
    }
    return { ip, proto };
  }

  return {
    addressOf: (request) => resolveClient(request).ip?.toString() ?? '',
    protocolOf: (request) => (resolveClient(request).proto === 'https' ? 'https' : 'http'),
  };
}

interface Hop {
  readonly text: string;
  readonly proto: string | undefined;
}

const canonicalHopAddress = ({ text }: Hop) => parseHopAddress(text)?.toString() ?? text;

/** One protocol stands for the whole way, as most proxies write it; as many as addresses go with them. */
function parseXForwardedFor(
  given: string | string[] | undefined,
  protocols: string | string[] | undefined,
): Hop[] {
  const texts = splitHeaderList(given).reverse();
  const protos = splitHeaderList(protocols).reverse();
  return texts.map((text, at) => ({
    text,
    proto: (protos.length === texts.length ? protos[at] : protos[0])?.toLowerCase(),
  }));
}

function splitHeaderList(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return String(value)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** RFC 7239, 4: elements separated by commas, pairs by semicolons; quoted text may hold either. */
function parseForwardedHeader(text: string): Hop[] {
  const elements = text.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
  return elements.reverse().map((element) => {
    const pairs = new Map<string, string>();
    for (const [, name = '', quoted, plain] of element.matchAll(
      /([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;,\s]*))/g,
    ))
      pairs.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
    return { text: pairs.get('for') ?? '', proto: pairs.get('proto')?.toLowerCase() };
  });
}

/** The address of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`; null for `unknown` and its like. */
function parseHopAddress(text: string): IpAddress | null {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  const ip = parseIpAddress(bracketed ?? plain ?? text);
  // A listener for both families shows IPv4 callers in IPv6 clothes.
  return ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress() ? ip.toIPv4Address() : ip;
}
