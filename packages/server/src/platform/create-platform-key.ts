import type { KeyObject } from 'node:crypto';
import { storedKeyFields } from '@floe/contract/api/keys';
import type { KeyScope } from '@floe/contract/scopes';
import { newId } from '../core/ids.ts';
import type { PlatformKeyRow } from '../store/platform-keys.ts';
import { createImportedKeyHint, createKeyHint, generatePlatformKey } from './key-format.ts';
import { hashImportedKey, hashPlatformKey } from './keyring.ts';

/** A key that has the one value. */
export const UNROTATED_COLUMNS = {
  previous_hash: null,
  previous_prefix: null,
  previous_last4: null,
  previous_until: null,
  previous_last_used_at: null,
};

/** Columns of a key's value: its hash and what a list shows of it. */
export type KeyValueColumns = Pick<PlatformKeyRow, 'hash' | 'prefix' | 'last4' | 'imported_from'>;

/** The value that a document or floe.yaml gives a key; null where it gives none. */
export function buildKeyValueColumns(
  pepper: KeyObject,
  { key, imported_hash, imported_from }: DeclaredKeyValue,
): KeyValueColumns | null {
  if (imported_hash !== undefined) {
    const sha256 = imported_hash.replace(/^sha256:/, '');
    const hash = hashImportedKey(pepper, sha256);
    return { hash, ...createImportedKeyHint(sha256), imported_from: imported_from ?? 'unknown' };
  }
  // `sk-eis_…` is the same key as `eis_…`.
  const value = key?.replace(/^sk-/, '');
  if (value === undefined) return null;
  return { hash: hashPlatformKey(pepper, value), ...createKeyHint(value), imported_from: null };
}

interface DeclaredKeyValue {
  readonly key?: string | undefined;
  readonly imported_hash?: string | undefined;
  readonly imported_from?: string | undefined;
}

/** A new platform key and the row that stands for it: the value is in no column and must be shown now. */
export function createPlatformKey(
  pepper: KeyObject,
  given: {
    readonly orgId: string;
    readonly name: string;
    readonly scopes: readonly KeyScope[];
    /** Who makes it. */
    readonly by: string;
    readonly nowMs: number;
    /** Its value, where somebody chose one. */
    readonly value?: string;
  },
  columns: Partial<PlatformKeyRow> = {},
): { readonly key: string; readonly row: PlatformKeyRow } {
  const { orgId, name, scopes, by, nowMs, value: key = generatePlatformKey() } = given;
  const row: PlatformKeyRow = {
    id: newId('key', nowMs),
    org_id: orgId,
    ...storedKeyFields.parse({ name }),
    hash: hashPlatformKey(pepper, key),
    ...createKeyHint(key),
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
