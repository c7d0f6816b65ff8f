import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import { type IpNetwork, isInNetworks, parseIpAddress, parseNetworks } from '../core/network.ts';

/** How connections to one host are made; absent where nothing was configured. */
export interface ConnectionOptions {
  /** Connections with the same key may share a pool. */
  readonly key: string;
  /** Address of the proxy the connection is tunnelled through. */
  readonly proxy: URL | undefined;
  /** Every certificate authority that is trusted, in PEM; absent: those of the runtime. */
  readonly ca: readonly string[] | undefined;
  /** Client certificate and its private key, in PEM. */
  readonly clientCert: string | undefined;
  readonly clientKey: string | undefined;
}

/** The operator's words about outgoing calls; empty strings say nothing. */
export interface OutboundSettings {
  readonly proxy: string;
  readonly no_proxy: string;
  readonly ca_file: string;
  readonly client_cert?: { readonly cert_file: string; readonly key_file: string } | undefined;
}

export interface ResolvedOutbound {
  /** How to reach an origin such as `https://api.host.test`. */
  via(origin: string): ConnectionOptions | undefined;
  /** Proxies that calls may go through, which the operator named in one place or another. */
  readonly proxies: readonly string[];
}

/** A file that outgoing calls need and that cannot be read; the message names setting and file. */
export class OutboundConfigError extends Error {
  override readonly name = 'OutboundConfigError';
}

/**
 * Outgoing calls as `outbound` and, where it is silent, the environment say: `HTTPS_PROXY` (https only, as every
 * client reads it), `NO_PROXY`; a proxy of the settings is for every call. `NODE_EXTRA_CA_CERTS` is among the
 * runtime's own authorities, which `ca_file` adds to. Several settings are one after the other: the first that
 * says something wins.
 *
 * @throws OutboundConfigError when a file named here cannot be read.
 */
export function resolveOutbound(
  settings: readonly OutboundSettings[],
  variable: (name: string) => string | undefined,
): ResolvedOutbound {
  const first = (name: 'proxy' | 'no_proxy' | 'ca_file') => settings.find((one) => one[name] !== '')?.[name];
  const environment = (name: string) => variable(name) || variable(name.toLowerCase()) || undefined;
  const proxy = first('proxy');
  const httpsProxy = proxy ?? environment('HTTPS_PROXY');
  const isDirect = parseNoProxy(first('no_proxy') ?? environment('NO_PROXY') ?? '');
  const caFile = first('ca_file');
  const ca =
    caFile === undefined ? undefined : [...getCACertificates('default'), readPemFile('ca_file', caFile)];
  const certificate = settings.find((one) => one.client_cert)?.client_cert;
  const cert = certificate && readPemFile('client_cert.cert_file', certificate.cert_file);
  const certKey = certificate && readPemFile('client_cert.key_file', certificate.key_file);
  return {
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

function readPemFile(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OutboundConfigError(`${setting}: ${file} cannot be read (${why})`);
  }
}

/**
 * `NO_PROXY`: host names, which hold for everything below them too, and addresses or networks, each but a network with
 * or without a port; `*` is everything.
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
    // As every other client: an entry that means nothing keeps nobody from the proxy.
    return () => false;
  }
  return (host) => {
    const ip = parseIpAddress(host);
    return ip !== null && isInNetworks(ip, networks);
  };
}
