import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { DatabaseReader, DatabaseWriter } from './ports.ts';

/** The origin of a change, as its audit entry stores it. */
export interface AuditOrigin {
  /** IP address of the client. Null for a change without a request. */
  readonly address: string | null;
  /** Id of the console session. Null for a platform key, a sign-in, or a change without a request. */
  readonly sessionId: string | null;
}

const NO_ORIGIN: AuditOrigin = { address: null, sessionId: null };

/** Used if a database was opened without a key. Other processes cannot continue such a chain. */
export const EPHEMERAL_AUDIT_KEY = createSecretKey(randomBytes(32));

const auditKeys = new WeakMap<DatabaseReader, KeyObject>();
const auditOrigins = new WeakMap<DatabaseWriter, AuditOrigin>();

/**
 * Derives the key of the audit chains (HKDF-SHA-256, RFC 5869). Access to the database alone does not
 * permit to continue or rewrite a chain.
 */
export function deriveAuditKey(secretKey: Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', 'floe audit chain', 32)));
}

/** Sets the key for the reader of a database and for each of its transactions. */
export function setAuditKey(handle: DatabaseReader, key: KeyObject): void {
  auditKeys.set(handle, key);
}

/** @throws Error for a handle without a database */
export function getAuditKey(handle: DatabaseReader): KeyObject {
  const key = auditKeys.get(handle);
  if (!key) throw new Error('the audit log can be written only in a database transaction');
  return key;
}

/** Sets the origin of all audit entries of a transaction. Call it at the start of the transaction. */
export function setAuditOrigin(writer: DatabaseWriter, origin: AuditOrigin): void {
  auditOrigins.set(writer, origin);
}

/** The origin of the transaction. All fields are null if none was set. */
export function getAuditOrigin(writer: DatabaseWriter): AuditOrigin {
  return auditOrigins.get(writer) ?? NO_ORIGIN;
}
