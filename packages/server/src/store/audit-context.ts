import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { DatabaseReader, DatabaseWriter } from './ports.ts';

/** Where a change came from, as its entry in the audit log keeps it. */
export interface AuditOrigin {
  /** IP address of the client; null for changes that no request made. */
  readonly address: string | null;
  /** Of the console session; null for a platform key, a sign-in or a change that no request made. */
  readonly sessionId: string | null;
}

const NO_ORIGIN: AuditOrigin = { address: null, sessionId: null };

/** For a database that was opened without a key: what it chains cannot be continued by another process. */
export const EPHEMERAL_AUDIT_KEY = createSecretKey(randomBytes(32));

const auditKeys = new WeakMap<DatabaseReader, KeyObject>();
const auditOrigins = new WeakMap<DatabaseWriter, AuditOrigin>();

/** The key of the audit chains (HKDF-SHA-256, RFC 5869): whoever has the database alone cannot continue or rewrite one. */
export function deriveAuditKey(secretKey: Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', 'floe audit chain', 32)));
}

/** Called by a database for its reader and for each of its transactions. */
export function setAuditKey(handle: DatabaseReader, key: KeyObject): void {
  auditKeys.set(handle, key);
}

/** @throws Error for a handle of no database */
export function getAuditKey(handle: DatabaseReader): KeyObject {
  const key = auditKeys.get(handle);
  if (!key) throw new Error('an audit chain was used outside of a transaction of its database');
  return key;
}

/** Belongs at the beginning of a transaction: its entries say where they came from. */
export function setAuditOrigin(writer: DatabaseWriter, origin: AuditOrigin): void {
  auditOrigins.set(writer, origin);
}

export function getAuditOrigin(writer: DatabaseWriter): AuditOrigin {
  return auditOrigins.get(writer) ?? NO_ORIGIN;
}
