import type { SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import type { SignInUrls } from '../../platform/sign-in/sign-in-urls.ts';

/** The definition of a cookie: its name, and functions that set, clear and read the cookie. */
export interface CookieDefinition {
  readonly name: string;
  /** Returns the value of a `set-cookie` header. */
  set(value: string): string;
  clear(): string;
  /**
   * Returns its value from a `cookie` header. Null if it is absent, or present twice with different values.
   */
  read(header: string | undefined): string | null;
}

/** Returns the definition of the session cookie. Browsers keep the cookie for the maximum session duration. */
export function createSessionCookieDefinition(site: SignInUrls, maxHours: number): CookieDefinition {
  return createCookieDefinition(site, 'floe_session', maxHours * 3600);
}

/** Returns the definition of the session cookie with the settings of the current configuration. */
export function createConfiguredSessionCookieDefinition({
  site,
  auth,
}: Pick<SignInContext, 'site' | 'auth'>): CookieDefinition {
  return createSessionCookieDefinition(site(), auth().sessions.max_hours);
}

/**
 * Returns a cookie definition. The cookie is `Secure` if the base URL is https. In that case, and
 * if there is no path prefix, its name starts with `__Host-`, so that no other host and no http
 * page can set it (RFC 6265bis, 4.1.3.2). The name contains the base URL's port, because cookies
 * are shared between ports.
 */
export function createCookieDefinition(
  { isHttps, prefix, baseUrl }: SignInUrls,
  base: string,
  maxAgeS: number,
): CookieDefinition {
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
  // Two values: another page of this host set one of them, and they cannot be distinguished.
  return values.size === 1 && value !== undefined && value !== '' ? value : null;
}
