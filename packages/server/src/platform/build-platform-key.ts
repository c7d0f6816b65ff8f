import type { KeyObject } from 'node:crypto';
import { keyFieldsStoredAsIs } from '@floe/contract/api/keys';
import type { KeyScope } from '@floe/contract/scopes';
import { createId } from '../core/ids.ts';
import type { PlatformKeyRow } from '../store/platform-keys.ts';
import { createImportedKeyHint, createPlatformKeyHint, generatePlatformKey } from './key-format.ts';
import { hashImportedKey, hashPlatformKey } from './keyring.ts';

/** The values of the rotation columns for a key that was never replaced. */
export const UNROTATED_PLATFORM_KEY_COLUMNS = {
  previous_hash: null,
  previous_prefix: null,
  previous_last4: null,
  previous_until: null,
  previous_last_used_at: null,
};

/** The columns that contain a key's hash and the hint that lists show. */
export type PlatformKeyValueColumns = Pick<PlatformKeyRow, 'hash' | 'prefix' | 'last4' | 'imported_from'>;

/**
 * Returns the columns for the value of a key from an imported document or floe.yaml. Returns null if the key
 * has no value.
 */
export function buildPlatformKeyValueColumns(
  pepper: KeyObject,
  { key, imported_hash, imported_from }: DeclaredKeyValue,
): PlatformKeyValueColumns | null {
  if (imported_hash !== undefined) {
    const sha256 = imported_hash.replace(/^sha256:/, '');
    const hash = hashImportedKey(pepper, sha256);
    return { hash, ...createImportedKeyHint(sha256), imported_from: imported_from ?? 'unknown' };
  }
  // `sk-eis_…` is the same key as `eis_…`.
  const value = key?.replace(/^sk-/, '');
  if (value === undefined) return null;
  return { hash: hashPlatformKey(pepper, value), ...createPlatformKeyHint(value), imported_from: null };
}

interface DeclaredKeyValue {
  readonly key?: string | undefined;
  readonly imported_hash?: string | undefined;
  readonly imported_from?: string | undefined;
}

/**
 * Creates a platform key and its row. The key's value is not stored, so the caller must show it
 * now.
 */
export function buildPlatformKey(
  pepper: KeyObject,
  given: {
    readonly orgId: string;
    readonly name: string;
    readonly scopes: readonly KeyScope[];
    /** Id of the actor that creates the key. */
    readonly by: string;
    readonly nowMs: number;
    /** The value of the key. Generated if absent. */
    readonly value?: string;
  },
  columns: Partial<PlatformKeyRow> = {},
): { readonly key: string; readonly row: PlatformKeyRow } {
  const { orgId, name, scopes, by, nowMs, value: key = generatePlatformKey() } = given;
  const row: PlatformKeyRow = {
    id: createId('key', nowMs),
    org_id: orgId,
    ...keyFieldsStoredAsIs.parse({ name }),
    hash: hashPlatformKey(pepper, key),
    ...createPlatformKeyHint(key),
    scopes_json: JSON.stringify(scopes),
    models_json: null,
    paths_json: null,
    created_at: nowMs,
    created_by: by,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    source: 'console',
    source_line: null,
    updated_at: nowMs,
    updated_by: by,
    ...columns,
  };
  return { key, row };
}
