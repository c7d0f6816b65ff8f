import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/** The client address and the console session of a change, as the audit entry stores them. */
export interface AuditOrigin {
  /** IP address of the client. Null for a change without a request. */
  readonly address: string | null;
  /** Id of the console session. Null for a platform key, a sign-in, or a change without a request. */
  readonly sessionId: string | null;
}

const NO_ORIGIN: AuditOrigin = { address: null, sessionId: null };

/**
 * The random audit key of databases that are opened without a key. Other processes cannot continue a chain
 * that uses it.
 */
export const EPHEMERAL_AUDIT_KEY = createSecretKey(randomBytes(32));

const auditKeys = new WeakMap<DatabaseReader, KeyObject>();
const auditOrigins = new WeakMap<DatabaseWriter, AuditOrigin>();

/**
 * Derives the audit chain key from the installation's secret key (HKDF-SHA-256, RFC 5869). Access
 * to the database alone is not enough to continue or rewrite a chain.
 */
export function deriveAuditKey(secretKey: Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', 'floe audit chain', 32)));
}

/** Sets the audit key for a database handle: the reader, or the writer of one transaction. */
export function setAuditKey(handle: DatabaseReader, key: KeyObject): void {
  auditKeys.set(handle, key);
}

/**
 * Returns the audit key that was set for a database.
 * @throws Error if no key was set for the handle
 */
export function getAuditKey(handle: DatabaseReader): KeyObject {
  const key = auditKeys.get(handle);
  if (!key) throw new Error('the audit log can be written only in a database transaction');
  return key;
}

/**
 * Sets the origin that is stored in all audit entries of a transaction. Must be called at the start of the
 * transaction.
 */
export function setAuditOrigin(writer: DatabaseWriter, origin: AuditOrigin): void {
  auditOrigins.set(writer, origin);
}

/** Returns a transaction's audit origin. All fields are null if none was set. */
export function getAuditOrigin(writer: DatabaseWriter): AuditOrigin {
  return auditOrigins.get(writer) ?? NO_ORIGIN;
}
