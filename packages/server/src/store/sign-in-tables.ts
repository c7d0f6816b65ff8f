export interface SignInSchema {
  sessions: ConsoleSessionsTable;
  passkeys: PasskeysTable;
  identities: IdentitiesTable;
  sign_in_attempts: SignInAttemptsTable;
  used_tokens: UsedTokensTable;
}

/** That a browser is signed in. Removing the row signs it out. */
export interface ConsoleSessionsTable {
  /** `ses_…` */
  id: string;
  /** SHA-256 of the cookie's value, hex. The value itself is never stored. */
  token_sha256: string;
  /** Of the value before the last rotation: requests that were under way with it still pass, for a moment. */
  previous_sha256: string | null;
  previous_until: number;
  user_id: string;
  /** The org its requests are about. */
  org_id: string;
  /** The member's role when the cookie's value was made; another one now asks for another value. */
  role: string;
  /** One of `SIGN_IN_METHODS`. */
  method: string;
  /** Name in `auth.oidc` of the issuer it began by; null for other ways. */
  issuer?: string | null | undefined;
  /** The passkey it began with; null for other methods. */
  passkey_id?: string | null | undefined;
  created_at: number;
  /** Up to a minute behind. */
  last_seen_at: number;
  expires_at: number;
  stepped_up_until: number;
  ip_address: string;
  /** Name of the browser as it gave it, cut short. */
  user_agent: string;
}

/** A passkey of a person (WebAuthn credential). */
export interface PasskeysTable {
  /** `psk_…` */
  id: string;
  user_id: string;
  /** As browsers call it, base64url. */
  credential_id: string;
  /** COSE key, base64url. */
  public_key: string;
  counter: number;
  transports_json: string;
  name: string;
  /** 1 when the passkey is kept in more than one place. */
  backed_up: number;
  created_at: number;
  last_used_at: number | null;
}

/** Who a person is to an OpenID Connect issuer. */
export interface IdentitiesTable {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: number;
}

/** Failed sign-ins of one account or from one address. */
export interface SignInAttemptsTable {
  /** `account:<SHA-256>` or `address:<address>`. */
  bucket: string;
  attempts: number;
  last_attempt_at: number;
  blocked_until: number;
}

/** One-time values that were used, until they would not be taken any more anyway. */
export interface UsedTokensTable {
  sha256: string;
  expires_at: number;
}
