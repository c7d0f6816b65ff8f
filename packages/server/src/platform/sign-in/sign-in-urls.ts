import { isIP } from 'node:net';

/** The URLs of this installation that sign-in needs. */
export interface SignInUrls {
  /** Such as `https://floe.example.com/ai`, without a trailing slash. */
  readonly baseUrl: string;
  /** Path of the base URL, or ''. */
  readonly prefix: string;
  readonly isHttps: boolean;
  /** Origins whose pages may send requests with a session: that of the base URL and of further listeners. */
  readonly origins: ReadonlySet<string>;
  /** The relying party of passkeys. Null if browsers do not allow any at this URL. */
  readonly passkeys: { readonly rpId: string; readonly origin: string } | null;
}

/**
 * Returns the sign-in URLs for a base URL.
 * @param ports the ports of further listeners on the same host
 */
export function buildSignInUrls(baseUrl: string, ports: readonly number[] = []): SignInUrls {
  const url = new URL(baseUrl);
  const origins = [
    url.origin,
    ...ports.map((port) => new URL(`${url.protocol}//${url.hostname}:${port}`).origin),
  ];
  return {
    baseUrl: baseUrl.replace(/\/$/, ''),
    prefix: url.pathname.replace(/\/$/, ''),
    isHttps: url.protocol === 'https:',
    origins: new Set(origins),
    passkeys: passkeySettings(url),
  };
}

/** WebAuthn requires a host name instead of an IP address, and HTTPS or localhost. */
function passkeySettings({ protocol, hostname, origin }: URL): SignInUrls['passkeys'] {
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return isName && (protocol === 'https:' || isHere) ? { rpId: hostname, origin } : null;
}

/**
 * Returns the path that the browser opens after a sign-in. Returns the start page if `asked` is not a path of
 * this installation. Parses the path as browsers do, because `//host`, `/\host` and control characters can
 * lead to other sites.
 */
export function resolveSafeReturnPath(site: SignInUrls, asked: string | undefined): string {
  const home = `${site.prefix}/`;
  if (asked === undefined || asked.length > 2000 || /[\p{Cc}\s\\]/u.test(asked)) return home;
  const { origin } = new URL(site.baseUrl);
  if (!asked.startsWith('/') || asked.startsWith('//') || !URL.canParse(asked, origin)) return home;
  const url = new URL(asked, origin);
  // `/..//host` becomes `//host`, which leads to another site.
  if (url.pathname.startsWith('//')) return home;
  const isBelow = url.pathname === site.prefix || url.pathname.startsWith(home);
  return url.origin === origin && isBelow ? `${url.pathname}${url.search}${url.hash}` : home;
}
