import { isIP } from 'node:net';

/** Where people find this installation, as far as sign-in is concerned. */
export interface Site {
  /** `https://floe.example.com/ai`, without a slash at its end. */
  readonly baseUrl: string;
  /** Path of it, '' for none. */
  readonly prefix: string;
  readonly isHttps: boolean;
  /** Origins whose pages may ask with a session: that of `baseUrlField`, and those of further listeners. */
  readonly origins: ReadonlySet<string>;
  /** What passkeys are bound to; null where browsers allow none. */
  readonly passkeys: { readonly rpId: string; readonly origin: string } | null;
}

/** `ports` are those of further listeners, which people reach under the same host. */
export function createSite(baseUrl: string, ports: readonly number[] = []): Site {
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

/** WebAuthn wants a name, no address, and a secure context: https, or this machine itself. */
function passkeySettings({ protocol, hostname, origin }: URL): Site['passkeys'] {
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return isName && (protocol === 'https:' || isHere) ? { rpId: hostname, origin } : null;
}

/**
 * Where to go after a sign-in: a path below this installation, never another site. What is none of it is the start page.
 * Read as browsers read it: `//host`, `/\host` and control characters lead elsewhere.
 */
export function safeReturnPath(site: Site, asked: string | undefined): string {
  const home = `${site.prefix}/`;
  if (asked === undefined || asked.length > 2000 || /[\p{Cc}\s\\]/u.test(asked)) return home;
  const { origin } = new URL(site.baseUrl);
  if (!asked.startsWith('/') || asked.startsWith('//') || !URL.canParse(asked, origin)) return home;
  const url = new URL(asked, origin);
  // `/..//host` becomes `//host`, which a browser reads as another site.
  if (url.pathname.startsWith('//')) return home;
  const isBelow = url.pathname === site.prefix || url.pathname.startsWith(home);
  return url.origin === origin && isBelow ? `${url.pathname}${url.search}${url.hash}` : home;
}
