import ipaddr from 'ipaddr.js';
import { type IpAddress, isInNetworks, parseIpAddress, parseNetworks } from './network.ts';

/**
 * The parts of a request that determine the client address. `IncomingMessage` has this shape. The
 * values of repeated headers are joined.
 */
export interface ClientAddressSource {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: {
    readonly 'x-forwarded-for'?: string | string[] | undefined;
    readonly 'x-forwarded-proto'?: string | string[] | undefined;
    readonly forwarded?: string | undefined;
  };
}

/** Determines clients' addresses and protocols. */
export interface ClientAddressResolver {
  /**
   * Returns the client's IP address in canonical form, without a port. Behind trusted proxies, this is the
   * nearest hop that is not a trusted proxy. Returns an empty text if the connection is already closed.
   */
  addressOf(request: ClientAddressSource): string;
  /**
   * Returns the protocol between the client and the first trusted proxy. Without a proxy, returns `http`,
   * because Floe does not terminate TLS.
   */
  protocolOf(request: ClientAddressSource): 'http' | 'https';
}

/** Maximum number of hops that are read. Further hops are ignored. */
const MAX_HOPS = 32;

/**
 * Creates a resolver that reads `X-Forwarded-For` or `Forwarded` (RFC 7239) from right to left. It stops at the
 * first address that is not trusted, because the client at this address may have written everything to the left
 * of it. A proxy that writes one of these headers forwards the other one unchanged. If both are present and
 * disagree, both are ignored.
 * @param trusted networks of trusted proxies, such as `10.0.0.0/8`, or single addresses
 */
export function createClientAddressResolver(trusted: readonly string[]): ClientAddressResolver {
  const networks = parseNetworks(trusted);
  const isTrusted = (ip: IpAddress) => isInNetworks(ip, networks);

  /**
   * Returns the hops, nearest first, from the header that lists them. Returns null if the headers contradict
   * each other.
   */
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
      // The trusted proxy recorded the protocol of its own client.
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

/**
 * Parses `X-Forwarded-For`. If the protocol header has a single value, as most proxies write it, this value
 * applies to every hop. Otherwise, it has one value per address.
 */
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

/**
 * Parses the header `Forwarded`: elements separated by commas, which contain pairs separated by semicolons.
 * Quoted text may contain both (RFC 7239, section 4).
 */
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

/**
 * Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`. Returns null for `unknown` and
 * other identifiers.
 */
function parseHopAddress(text: string): IpAddress | null {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  const ip = parseIpAddress(bracketed ?? plain ?? text);
  // A dual-stack listener reports IPv4 clients as IPv4-mapped IPv6 addresses.
  return ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress() ? ip.toIPv4Address() : ip;
}
