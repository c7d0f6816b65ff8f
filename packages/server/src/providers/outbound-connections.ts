import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import { type IpNetwork, isInNetworks, parseIpAddress, parseNetworks } from '../core/network.ts';

/** How to connect to a host: proxy and certificates. Properties are absent if nothing is configured. */
export interface OutboundConnectionOptions {
  /** Only connections with the same key may share a pool. */
  readonly key: string;
  /** URL of the proxy; undefined for a direct connection. */
  readonly proxy: URL | undefined;
  /** All trusted certificate authorities in PEM. Undefined for those of the runtime. */
  readonly ca: readonly string[] | undefined;
  /** Client certificate and its private key in PEM; undefined if none is configured. */
  readonly clientCert: string | undefined;
  readonly clientKey: string | undefined;
}

/**
 * The configured options for outgoing connections. An empty string means that the option is not
 * set.
 */
export interface OutboundConnectionSettings {
  readonly proxy: string;
  readonly no_proxy: string;
  readonly ca_file: string;
  readonly client_cert?: { readonly cert_file: string; readonly key_file: string } | undefined;
}

/** The options for outgoing connections to each origin, from the configuration and the environment. */
export interface ResolvedOutboundConnections {
  /**
   * Returns how to connect to an origin such as `https://api.host.test`; undefined if nothing is configured
   * for it.
   */
  via(origin: string): OutboundConnectionOptions | undefined;
  /** The URLs of all configured proxies. */
  readonly proxies: readonly string[];
  /** Why the last known content of a file is used. Null if all files could be read. */
  readonly staleFile: OutboundConfigError | null;
}

/**
 * Thrown if a file that outgoing connections need cannot be read. The message names the setting and
 * the file.
 */
export class OutboundConfigError extends Error {
  override readonly name = 'OutboundConfigError';
  /** The setting that contains the path of the file, such as `client_cert.key_file`. */
  readonly setting: string;
  /** Code of the error, such as `ENOENT`. */
  readonly code: string;

  constructor(setting: string, file: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${setting}: ${file} cannot be read (${why}); check the path and the permissions`);
    this.setting = setting;
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  }
}

/**
 * Resolves the options for outgoing connections from `outbound` and the environment variables `HTTPS_PROXY`
 * (only for https, as in other clients) and `NO_PROXY`. A configured proxy applies to every connection. The
 * certificate authorities in `ca_file` are added to those of Node.js, which include `NODE_EXTRA_CA_CERTS`. If
 * several elements of `settings` contain an option, the first value is used. If a file cannot be read any more, its last
 * known content is used.
 * @throws OutboundConfigError if a file cannot be read and the process has never read it
 */
export function resolveOutboundConnections(
  settings: readonly OutboundConnectionSettings[],
  variable: (name: string) => string | undefined,
): ResolvedOutboundConnections {
  const first = (name: 'proxy' | 'no_proxy' | 'ca_file') => settings.find((one) => one[name] !== '')?.[name];
  const environment = (name: string) => variable(name) || variable(name.toLowerCase()) || undefined;
  const proxy = first('proxy');
  const httpsProxy = proxy ?? environment('HTTPS_PROXY');
  const isDirect = parseNoProxy(first('no_proxy') ?? environment('NO_PROXY') ?? '');
  const caFile = first('ca_file');
  let staleFile: OutboundConfigError | null = null;
  const read = (setting: string, file: string) => {
    const { text, failure } = readPemFile(setting, file);
    staleFile ??= failure;
    return text;
  };
  const ca = caFile === undefined ? undefined : [...getCACertificates('default'), read('ca_file', caFile)];
  const certificate = settings.find((one) => one.client_cert)?.client_cert;
  const cert = certificate && read('client_cert.cert_file', certificate.cert_file);
  const certKey = certificate && read('client_cert.key_file', certificate.key_file);
  return {
    staleFile,
    proxies: [...new Set([proxy, httpsProxy])].filter((one) => one !== undefined),
    via(origin) {
      const url = new URL(origin);
      const named = url.protocol === 'https:' ? httpsProxy : proxy;
      const through = named !== undefined && !isDirect(url) ? new URL(named) : undefined;
      if (through === undefined && ca === undefined && cert === undefined) return undefined;
      const key = createHash('sha256')
        .update(JSON.stringify([through?.href, ca?.at(-1), cert, certKey]))
        .digest('base64url');
      return { key, proxy: through, ca, clientCert: cert, clientKey: certKey };
    },
  };
}

/** The last content of each file by its path. Only floe.yaml contains paths. */
const lastRead = new Map<string, string>();

/** Returns the text of the file. `failure` is the reason if this is its last known content. */
function readPemFile(
  setting: string,
  file: string,
): { readonly text: string; readonly failure: OutboundConfigError | null } {
  try {
    const text = readFileSync(file, 'utf8');
    lastRead.set(file, text);
    return { text, failure: null };
  } catch (error) {
    const failure = new OutboundConfigError(setting, file, error);
    const text = lastRead.get(file);
    if (text === undefined) throw failure;
    return { text, failure };
  }
}

/**
 * Parses `NO_PROXY`: host names (which include their subdomains), addresses and networks. Host names and
 * addresses may have a port. `*` matches everything. Returns a function that tells whether a URL must be
 * reached without a proxy.
 */
function parseNoProxy(list: string): (url: URL) => boolean {
  const entries = list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => parseNoProxyEntry(entry.toLowerCase()));
  return ({ hostname, port, protocol }) => {
    const host = hostname.replace(/^\[|\]$|\.$/g, '');
    return entries.some((isMeant) => isMeant(host, port || (protocol === 'https:' ? '443' : '80')));
  };
}

type NoProxyMatcher = (host: string, port: string) => boolean;

function parseNoProxyEntry(entry: string): NoProxyMatcher {
  if (entry === '*') return () => true;
  if (entry.includes('/')) return parseNoProxyNetwork(entry);
  const [, bracketed, plain, only] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  const name = (bracketed ?? plain ?? entry).replace(/^\*?\.|\.$/g, '');
  const ip = parseIpAddress(name)?.toString();
  const isName: (host: string) => boolean =
    ip === undefined
      ? (host) => host === name || (isIP(host) === 0 && host.endsWith(`.${name}`))
      : (host) => parseIpAddress(host)?.toString() === ip;
  return (host, port) => (only === undefined || only === port) && isName(host);
}

function parseNoProxyNetwork(entry: string): NoProxyMatcher {
  let networks: readonly IpNetwork[];
  try {
    networks = parseNetworks([entry]);
  } catch {
    // An invalid entry matches nothing, as in other clients.
    return () => false;
  }
  return (host) => {
    const ip = parseIpAddress(host);
    return ip !== null && isInNetworks(ip, networks);
  };
}
