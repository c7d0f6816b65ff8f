import { emailAddress } from '@floe/contract/api/email';
import type { OidcConfig } from '@floe/contract/config';

const NAME_CHARS = 100;

/** A user's profile, from the ID token and the response of the userinfo endpoint. */
export interface OidcProfile {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case. Null if the issuer sent none or an invalid one. */
  readonly email: string | null;
  readonly isVerified: boolean;
  readonly name: string;
  readonly groups: readonly string[];
  /** Milliseconds since the epoch. Null if the issuer does not report it. */
  readonly authenticatedAt: number | null;
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the email address and whether it is verified. The other document counts only if it contains the same address.
 */
function pickEmailClaims(idToken: Claims, userInfo: Claims) {
  const [own, other] = idToken['email'] === undefined ? [userInfo, idToken] : [idToken, userInfo];
  const email = parseEmail(own['email']);
  const isSame = email !== null && email === parseEmail(other['email']);
  // A document without an address can only state that the address is not verified.
  const isDenied = other['email_verified'] === false || other['email_verified'] === 'false';
  return {
    email: own['email'],
    email_verified: own['email_verified'] ?? (isSame || isDenied ? other['email_verified'] : undefined),
  };
}

/**
 * Reads the user's profile from the claims of the ID token and, if the userinfo endpoint was called, from its
 * response.
 */
export function parseOidcProfile(
  oidc: OidcConfig,
  idToken: Claims & { readonly iss: string },
  userInfo: Claims,
): OidcProfile {
  const claims: Claims = { ...userInfo, ...idToken, ...pickEmailClaims(idToken, userInfo) };
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  const groups = claims[oidc.group_claim];
  const email = parseEmail(claims['email']);
  const shownAt = claims['auth_time'];
  return {
    issuer: idToken.iss,
    subject: text(claims['sub']) ?? '',
    email,
    isVerified: isVerified(claims['email_verified'], oidc.trust_email),
    name: parseName(claims['name']) ?? parseName(claims['preferred_username']) ?? email ?? '',
    groups: [groups ?? []].flat().filter((group) => typeof group === 'string'),
    authenticatedAt: typeof shownAt === 'number' ? shownAt * 1000 : null,
  };
}

/**
 * Validated before the conversion to lower case, which maps some non-ASCII characters to ASCII (the Kelvin
 * sign).
 */
function parseEmail(claim: unknown): string | null {
  const { success, data } = emailAddress.safeParse(claim);
  return success ? data : null;
}

/**
 * Some issuers send a string. If the claim is absent, floe.yaml decides whether the issuer verifies all
 * addresses.
 */
function isVerified(claim: unknown, trusted: boolean): boolean {
  return claim === true || claim === 'true' || (trusted && claim === undefined);
}

/** Removes control and formatting characters and truncates the name. */
function parseName(claim: unknown): string | null {
  if (typeof claim !== 'string') return null;
  const name = claim.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim();
  return name === '' ? null : [...name].slice(0, NAME_CHARS).join('');
}
