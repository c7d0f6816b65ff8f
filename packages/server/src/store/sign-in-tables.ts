/** The tables for signing in. */
export interface SignInTables {
  sessions: ConsoleSessionsTable;
  passkeys: PasskeysTable;
  identities: IdentitiesTable;
  sign_in_attempts: SignInAttemptsTable;
  used_tokens: UsedTokensTable;
}

/** The console sessions. Deleting a row signs the browser out. */
export interface ConsoleSessionsTable {
  /** `ses_…` */
  id: string;
  /** SHA-256 of the cookie's value, hex. The value is not stored. */
  token_sha256: string;
  /**
   * Hash of the cookie's value before the last rotation. That value is accepted for a short time, for
   * requests in progress.
   */
  previous_sha256: string | null;
  previous_until: number;
  user_id: string;
  /** The organization of the session. */
  org_id: string;
  /** The member's role when the cookie was created. If the role changes, the cookie is replaced. */
  role: string;
  /** One of `SIGN_IN_METHODS`. */
  method: string;
  /** Name in `auth.oidc` of the issuer that started the session. Null for other methods. */
  issuer?: string | null | undefined;
  /** The passkey that started the session. Null for other methods. */
  passkey_id?: string | null | undefined;
  created_at: number;
  /** When the session was last used. Up to a minute old. */
  last_seen_at: number;
  expires_at: number;
  stepped_up_until: number;
  ip_address: string;
  /** `user-agent` of the browser, truncated. */
  user_agent: string;
}

/** The users' passkeys (WebAuthn credentials). */
export interface PasskeysTable {
  /** `psk_…` */
  id: string;
  user_id: string;
  /** The credential id that browsers send, in base64url. */
  credential_id: string;
  /** The public key in COSE format, in base64url. */
  public_key: string;
  counter: number;
  transports_json: string;
  name: string;
  /** 1 if the passkey is synchronized between devices. */
  backed_up: number;
  created_at: number;
  last_used_at: number | null;
}

/** The users' identities at OpenID Connect issuers. */
export interface IdentitiesTable {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: number;
}

/** The number of failed sign-ins for an account or a client address. */
export interface SignInAttemptsTable {
  /** `account:<SHA-256>` or `address:<address>`. */
  bucket: string;
  attempts: number;
  last_attempt_at: number;
  blocked_until: number;
}

/** One-time values, such as tokens, that have been used. A row is kept until the value would have expired. */
export interface UsedTokensTable {
  sha256: string;
  expires_at: number;
}
