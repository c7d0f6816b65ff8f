import type { SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import type { Site } from '../../platform/sign-in/site.ts';

/** A cookie of this installation: its name, and how it is set and taken back. */
export interface Cookie {
  readonly name: string;
  /** Value of a `set-cookie` header. */
  set(value: string): string;
  clear(): string;
  /** Its value in a `cookie` header; null when it is absent, or there twice with different values. */
  read(header: string | undefined): string | null;
}

/** The cookie that holds a session's secret; browsers keep it for as long as a session can last. */
export function sessionCookie(site: Site, maxHours: number): Cookie {
  return createCookie(site, 'floe_session', maxHours * 3600);
}

/** The same, as the installation is set up now. */
export function currentSessionCookie({ site, auth }: Pick<SignInContext, 'site' | 'auth'>): Cookie {
  return sessionCookie(site(), auth().sessions.max_hours);
}

/**
 * `Secure` exactly where the base address is https. There, and without a path prefix, the name has the prefix `__Host-`:
 * no other host and no plain page can set it (RFC 6265bis, 4.1.3.2). Ports do not part cookies, so a port of the address
 * is part of the name.
 */
export function createCookie({ isHttps, prefix, baseUrl }: Site, base: string, maxAgeS: number): Cookie {
  const { port } = new URL(baseUrl);
  const plainName = port === '' ? base : `${base}_${port}`;
  const name = isHttps && prefix === '' ? `__Host-${plainName}` : plainName;
  const attributes = `Path=${prefix === '' ? '/' : prefix}; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  return {
    name,
    set: (value) => `${name}=${value}; Max-Age=${maxAgeS}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
    read: (header) => readCookie(header, name),
  };
}

function readCookie(header: string | undefined, name: string): string | null {
  const values = new Set<string>();
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) values.add(pair.slice(at + 1).trim());
  }
  const [value] = values;
  // Two: another page of this host set one of them, and nobody can tell which.
  return values.size === 1 && value !== undefined && value !== '' ? value : null;
}
