import { lookup as lookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import ipaddr from 'ipaddr.js';
import buildConnector from 'undici/lib/core/connect.js';
import { FairHostLookup, type HostLookup } from './fair-host-lookup.ts';
import {
  getHostWithoutBrackets,
  type IpAddress,
  isInNetworks,
  parseIpAddress,
  parseNetworks,
} from './network.ts';

/**
 * Settings that define which addresses outgoing calls may reach. They apply to addresses that come from
 * configuration or users.
 */
export interface OutboundAccessSettings {
  /**
   * Whether private and loopback addresses are allowed. True if the installation has only the operator's
   * organization.
   */
  readonly allowPrivate: boolean;
  /** Additional networks that calls may reach, as `10.0.0.0/8` or a single address. */
  readonly privateNetworks: readonly string[];
  /**
   * Returns the addresses that floe.yaml contains for an organization, as `host:port` in lower case.
   * Null stands for the installation itself.
   */
  namedHosts(orgId: string | null): ReadonlySet<string>;
}

/**
 * Thrown if the guard rejected a connection. The message names the setting that would allow the connection,
 * if there is one.
 */
export class OutboundBlockedError extends Error {
  override readonly name = 'OutboundBlockedError';
}

/** Restricts outgoing connections to allowed addresses. */
export interface OutboundGuard {
  /**
   * Returns a guard for connections that an organization causes. The private addresses that floe.yaml
   * contains for other organizations are not allowed.
   */
  forOrg(orgId: string): OutboundGuard;
  /**
   * Returns a connector for undici and one origin. It checks each address after name resolution and before
   * any byte is sent, so DNS rebinding has no effect.
   */
  connector(origin: URL, options?: buildConnector.BuildOptions): buildConnector.connector;
  /**
   * Checks an origin without resolving its name. Returns null if it is allowed. For origins whose name a
   * proxy resolves.
   */
  checkOrigin(origin: URL): OutboundBlockedError | null;
  /**
   * Returns a number that changes when the allowed networks change. A connection that was opened under another
   * number must not be reused, because its address was checked under other settings.
   */
  settingsVersion(): number;
  /**
   * Opens a TCP connection under the same rules.
   * @throws OutboundBlockedError, or the error of the connection
   */
  connect(host: string, port: number, timeoutMs: number): Promise<Socket>;
}

/**
 * Creates a guard for connections that no organization configures. The guard checks the IP address of each
 * connection, and rejects addresses that the settings do not allow. It calls `rules` for each connection. Only
 * tests set `resolve`. The default is the resolver of the system.
 */
export function createOutboundGuard(
  rules: () => OutboundAccessSettings,
  resolve: HostLookup = lookupAddress,
): OutboundGuard {
  return createGuardFor(null, rules, new FairHostLookup(resolve), createVersionCounter(rules));
}

/** Counts the changes of the allowed networks. */
function createVersionCounter(settings: () => OutboundAccessSettings): () => number {
  let last = settings();
  let version = 0;
  return () => {
    const current = settings();
    if (current === last) return version;
    const { allowPrivate, privateNetworks } = last;
    const isSame =
      current.allowPrivate === allowPrivate && isDeepStrictEqual(current.privateNetworks, privateNetworks);
    if (!isSame) version += 1;
    last = current;
    return version;
  };
}

function createGuardFor(
  orgId: string | null,
  settings: () => OutboundAccessSettings,
  lookups: FairHostLookup,
  settingsVersion: () => number,
): OutboundGuard {
  const rules = (): AddressRules => ({ orgId, settings: settings() });
  function connector(origin: URL, options: buildConnector.BuildOptions = {}): buildConnector.connector {
    const { host, port } = hostPortOf(origin);
    const connect = buildConnector({ ...options, lookup: guardedLookup(host, port) });
    return (asked, callback) => {
      // A literal address is not resolved, so it must be checked here.
      const refusal = checkHost(host, port);
      if (refusal) callback(refusal, null);
      else connect(asked, callback);
    };
  }

  function checkHost(host: string, port: number): OutboundBlockedError | null {
    const name = host.toLowerCase().replace(/\.+$/, '');
    if (METADATA_HOSTS.has(name))
      return new OutboundBlockedError(`${host} is a cloud metadata service, which Floe never calls.`);
    return isIP(host) === 0 ? null : checkAddress(host, { host, port }, rules());
  }

  function guardedLookup(host: string, port: number): LookupFunction {
    return (name, options, done) => {
      lookups.resolve(orgId, name, { ...options, all: true }, (error, addresses) => {
        if (error) return done(error, []);
        const current = rules();
        const verdicts = addresses.map(({ address }) => checkAddress(address, { host, port }, current));
        const allowed = addresses.filter((_, index) => verdicts[index] === null);
        const [first] = allowed;
        if (!first)
          return done(
            verdicts[0] ??
              new OutboundBlockedError(`${host} does not resolve to an address. Check its spelling.`),
            [],
          );
        if (options.all) done(null, [...allowed]);
        else done(null, first.address, first.family);
      });
    };
  }

  return {
    forOrg: (id) => createGuardFor(id, settings, lookups, settingsVersion),
    settingsVersion,
    connector,
    checkOrigin(origin) {
      const { host, port } = hostPortOf(origin);
      return checkHost(host, port);
    },
    connect: (host, port, timeoutMs) => openSocket(connector, { host, port }, timeoutMs),
  };
}

function openSocket(
  connector: OutboundGuard['connector'],
  { host, port }: HostPort,
  timeoutMs: number,
): Promise<Socket> {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  const origin = new URL(`http://${bracketed}:${port}`);
  return new Promise((done, fail) => {
    connector(origin, { timeout: timeoutMs })(
      { hostname: getHostWithoutBrackets(origin), protocol: 'http:', port: String(port) },
      (error, socket) => (socket ? done(socket) : fail(error)),
    );
  });
}

interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** The settings, and the organization that causes the connection. */
interface AddressRules {
  readonly orgId: string | null;
  readonly settings: OutboundAccessSettings;
}

function hostPortOf(url: URL): HostPort {
  return {
    host: getHostWithoutBrackets(url),
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
  };
}

/** Checks an address. Returns null if it is allowed. */
function checkAddress(address: string, place: HostPort, rules: AddressRules): OutboundBlockedError | null {
  const shown = address === place.host ? address : `${place.host} (${address})`;
  const reached = embeddedAddresses(address);
  if (reached.length === 0) return new OutboundBlockedError(`${shown} is not a supported IP address.`);
  for (const ip of reached) {
    const refused = checkIpAddress(ip, shown, place, rules);
    if (refused) return refused;
  }
  return null;
}

function checkIpAddress(
  ip: IpAddress,
  shown: string,
  { host, port }: HostPort,
  { orgId, settings }: AddressRules,
): OutboundBlockedError | null {
  if (isInNetworks(ip, METADATA_NETWORKS))
    return new OutboundBlockedError(
      `${shown} is a link-local or cloud metadata address, which Floe never calls.`,
    );
  const range = ip.range();
  if (range === 'multicast' || range === 'broadcast')
    return new OutboundBlockedError(
      `${shown} is a multicast or broadcast address, which Floe never calls. Use the address of one server.`,
    );
  const isPublic = range === 'unicast';
  if (isPublic || (settings.allowPrivate && TRUSTED_RANGES.has(range))) return null;
  if (settings.namedHosts(orgId).has(`${host.toLowerCase()}:${port}`)) return null;
  if (isInNetworks(ip, parseNetworks(settings.privateNetworks))) return null;
  return new OutboundBlockedError(
    `${shown} is not a public address. To allow Floe to call this address, add it to security.private_networks in floe.yaml.`,
  );
}

/**
 * The metadata services of clouds, and all link-local addresses. Alerts and model requests need none of them.
 */
const METADATA_NETWORKS = parseNetworks([
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
]);
const METADATA_HOSTS = new Set(['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal']);
const TRUSTED_RANGES = new Set(['private', 'loopback', 'uniqueLocal', 'unspecified']);

/**
 * IPv6 networks whose addresses contain an IPv4 address in the last 32 bits. Packets reach that IPv4 address.
 */
const IPV4_EMBEDDING_NETWORKS = parseNetworks(['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96']);
const SIX_TO_FOUR_NETWORKS = parseNetworks(['2002::/16']);
/**
 * Local-use translation prefixes (RFC 8215). The position of the IPv4 address depends on the translator (RFC
 * 6052, section 2.2).
 */
const LOCAL_TRANSLATION_NETWORKS = parseNetworks(['64:ff9b:1::/48']);

/**
 * Returns the addresses that a connection would reach, with embedded IPv4 addresses extracted. Empty if the
 * text is not an address.
 */
function embeddedAddresses(text: string): readonly IpAddress[] {
  const ip = parseIpAddress(text);
  if (ip === null) return [];
  if (ip.kind() === 'ipv4' || ip.range() === 'unspecified' || ip.range() === 'loopback') return [ip];
  const bytes = ip.toByteArray();
  const ipv4At = (...places: readonly number[]) => ipaddr.fromByteArray(places.map((at) => bytes[at] ?? 0));
  if (isInNetworks(ip, IPV4_EMBEDDING_NETWORKS)) return [ipv4At(12, 13, 14, 15)];
  if (isInNetworks(ip, SIX_TO_FOUR_NETWORKS)) return [ipv4At(2, 3, 4, 5)];
  if (isInNetworks(ip, LOCAL_TRANSLATION_NETWORKS))
    return [ip, ipv4At(6, 7, 9, 10), ipv4At(7, 9, 10, 11), ipv4At(9, 10, 11, 12), ipv4At(12, 13, 14, 15)];
  return [ip];
}
