import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import type { KeyScope } from '@floe/contract/scopes';
import type { PatternMatcher } from '../core/pattern.ts';
import { hasPlatformKeyFormat, type ImportedKeyLookup, isImportedKeyPrefix } from './key-format.ts';

/** 64 bits select the record. The rest of the digest is compared in constant time. */
const HASH_PREFIX_CHARS = 16;

/** A platform key prepared for in-memory lookup. Immutable; does not contain the secret. */
export interface KeyRecord {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<KeyScope>;
  /** Allowed model ids. Null means all models of the organization. */
  readonly models: PatternMatcher | null;
  /** Paths without a model that a key with `models` may use, including the paths below them. */
  readonly paths?: readonly string[];
  readonly team: string | null;
  readonly owner: string | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Hex HMAC of the key, see `hashPlatformKey`. */
  readonly hash: string;
  readonly prefix: string;
  readonly last4: string;
  /** Headers that announce the end of a replaced key value, as a flat list. Null if the value is current. */
  readonly deprecationHeaders?: readonly string[] | null;
}

export interface Keyring extends ImportedKeyLookup {
  /**
   * Returns the record of a presented key, as `extractPlatformKey` returns it.
   *
   * @throws Fault `invalid_api_key`, `key_revoked`, `key_expired`; `auth_unavailable` for an unknown key
   * while the database cannot confirm that it does not exist
   */
  authenticate(presented: string, nowMs: number): KeyRecord;
  /** Why requests with the key are rejected now, or null. The record may come from an older keyring. */
  currentFault(record: KeyRecord, nowMs: number): Fault | null;
}

/**
 * Derives the pepper for `hashPlatformKey` from the installation's secret key of 32 bytes
 * (HKDF-SHA-256, RFC 5869).
 */
export function derivePepper(secretKey: Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', 'floe platform key pepper v1', 32)));
}

/**
 * Returns the hash of a key that the database stores: HMAC-SHA-256 with the pepper, in hex. Without
 * the pepper, a key cannot be checked against it.
 */
export function hashPlatformKey(pepper: KeyObject, key: string): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/**
 * Returns the hash of an imported key that the database stores: the HMAC-SHA-256 of its SHA-256.
 * The signed text never starts with `eis_`, so no key in Floe's format has this hash. A request
 * with the SHA-256 itself is not authenticated.
 */
export function hashImportedKey(pepper: KeyObject, sha256: string): string {
  return hashPlatformKey(pepper, `sha256:${sha256}`);
}

/**
 * Prepares the keys of all organizations for lookup in one snapshot. Includes revoked and expired
 * keys, so that their callers get the exact error. `isCurrent` returns whether it is certain that
 * an unknown key does not exist.
 */
export function compileKeyring(
  records: readonly KeyRecord[],
  pepper: KeyObject,
  isCurrent: () => boolean = () => true,
): Keyring {
  const byHashStart = new Map<string, KeyRecord>();
  const hasImportedKeys = records.some(({ prefix }) => isImportedKeyPrefix(prefix));
  for (const record of records) {
    const start = record.hash.slice(0, HASH_PREFIX_CHARS);
    if (byHashStart.has(start)) throw new Error(`the key ${record.id} has the same hash as another key`);
    byHashStart.set(start, record);
  }
  // 0.4 µs instead of 2.3 µs for a known key. Filled only after a valid HMAC, so it has at most one entry
  // per record. SHA-256 keeps raw keys out of heap dumps.
  const seen = new Map<string, KeyRecord>();

  function find(presented: string): KeyRecord | undefined {
    const isOwn = hasPlatformKeyFormat(presented);
    if (!isOwn && !hasImportedKeys) return undefined;
    const digest = Buffer.from(
      isOwn ? hashPlatformKey(pepper, presented) : hashImportedKey(pepper, hash('sha256', presented, 'hex')),
    );
    const record = byHashStart.get(digest.toString('latin1', 0, HASH_PREFIX_CHARS));
    return record && timingSafeEqual(digest, Buffer.from(record.hash)) ? record : undefined;
  }

  function findSeen(presented: string): KeyRecord | undefined {
    const fingerprint = hash('sha256', presented, 'base64');
    const known = seen.get(fingerprint);
    if (known) return known;
    const record = find(presented);
    if (record) seen.set(fingerprint, record);
    return record;
  }

  return {
    hasImportedKeys,
    isImportedKey: (presented) => hasImportedKeys && findSeen(presented) !== undefined,
    authenticate(presented, nowMs) {
      const record = findSeen(presented);
      if (!record) throw unknownKeyFault(isCurrent());
      const refusal = expiryFault(record, nowMs);
      if (refusal) throw refusal;
      return record;
    },
    currentFault(record, nowMs) {
      const known = byHashStart.get(record.hash.slice(0, HASH_PREFIX_CHARS));
      return known?.hash === record.hash ? expiryFault(known, nowMs) : revokedFault(record);
    },
  };
}

function expiryFault(record: KeyRecord, nowMs: number): Fault | null {
  if (record.revokedAt !== null) return revokedFault(record);
  if (record.expiresAt === null || record.expiresAt > nowMs) return null;
  const at = new Date(record.expiresAt).toISOString();
  return new Fault('key_expired', `The platform key ${describePlatformKey(record)} expired at ${at}.`);
}

function revokedFault(record: KeyRecord): Fault {
  return new Fault('key_revoked', `The platform key ${describePlatformKey(record)} was revoked.`);
}

function unknownKeyFault(isCurrent: boolean): Fault {
  if (isCurrent) return new Fault('invalid_api_key', 'This platform key is invalid.');
  const message = 'This platform key cannot be verified because the database does not respond. Try again.';
  return new Fault('auth_unavailable', message, { retryAfterMs: 1_000 });
}

/** Returns how messages refer to a key. */
export function describePlatformKey(record: KeyRecord): string {
  return `"${record.name}" (${record.prefix}…${record.last4})`;
}

/** Returns whether `scopes` include `scope`. `monitoring` includes the permission to send beats. */
export function grantsScope(scopes: ReadonlySet<KeyScope>, scope: KeyScope): boolean {
  return scopes.has(scope) || (scope === 'beat' && scopes.has('monitoring'));
}

/**
 * Requires one of the scopes.
 *
 * @throws Fault `insufficient_scope` with the accepted scopes
 */
export function requireKeyScope(record: KeyRecord, ...anyOf: readonly [KeyScope, ...KeyScope[]]): void {
  for (const scope of anyOf) if (grantsScope(record.scopes, scope)) return;
  throw new Fault(
    'insufficient_scope',
    `The platform key ${describePlatformKey(record)} needs the scope ${anyOf.map((scope) => `"${scope}"`).join(' or ')} for this operation.`,
  );
}
