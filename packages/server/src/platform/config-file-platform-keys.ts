import type { KeyObject } from 'node:crypto';
import { storedKeyFields } from '@floe/contract/api/keys';
import type { PlatformKeyConfig } from '@floe/contract/config';
import type { ConfigIssue } from '@floe/contract/config/references';
import { newId } from '../core/ids.ts';
import {
  insertPlatformKey,
  listAllPlatformKeys,
  listFilePlatformKeys,
  type PlatformKeyRow,
  revokePlatformKey,
  updatePlatformKey,
} from '../store/platform-keys.ts';
import { defineConfigFileKind, type StoredResourceKind } from './config-file-sync.ts';
import {
  buildPlatformKeyValueColumns,
  type PlatformKeyValueColumns,
  UNROTATED_PLATFORM_KEY_COLUMNS,
} from './create-platform-key.ts';
import type { DeclaredResource } from './declared-resources.ts';
import { toPlatformKey } from './stored-key.ts';

const FOREIGN_KEY_VALUE =
  "must not be a current or previous value of another organization's key; use a different value";

type DeclaredKey = DeclaredResource<PlatformKeyConfig>;

/** The resource kind of platform keys, both from floe.yaml and created with the API. */
export const STORED_PLATFORM_KEY_KIND: StoredResourceKind<PlatformKeyConfig, PlatformKeyRow> = {
  kind: 'keys',
  list: ({ keys }) => keys,
  nameOf: ({ name }) => name,
  stored: listAllPlatformKeys,
  storedName: ({ name }) => name,
  isRemoved: ({ revoked_at }) => revoked_at !== null,
};

/**
 * Returns the resource kind of platform keys in floe.yaml. A key in the file takes over the stored
 * key with the same value, or else the active key with the same name.
 */
export function createConfigFilePlatformKeyKind(pepper: KeyObject) {
  // Each value is needed several times, and its HMAC takes 2 µs.
  const values = new WeakMap<PlatformKeyConfig, PlatformKeyValueColumns>();
  const getValue = ({ config }: DeclaredKey): PlatformKeyValueColumns => {
    const value = values.get(config) ?? buildPlatformKeyValueColumns(pepper, config);
    if (!value) throw new Error('a platform key in floe.yaml has no value');
    values.set(config, value);
    return value;
  };
  const hashOf = (key: DeclaredKey) => getValue(key).hash;
  return defineConfigFileKind({
    ...STORED_PLATFORM_KEY_KIND,
    storedFromFile: listFilePlatformKeys,
    match: (declared, stored) => matchStoredKeys(declared, stored, hashOf),
    findIssues: (declared, stored) => findForeignValues(declared, indexByHash(stored), hashOf),
    columns: (object, before) => ({
      ...toKeyColumns(object, getValue(object)),
      ...(before && leakColumns(before, hashOf(object))),
    }),
    row: (columns): PlatformKeyRow => ({
      ...columns,
      id: newId('key', columns.created_at),
      created_by: 'file',
      last_used_at: null,
    }),
    insert: insertPlatformKey,
    update: (writer, { org_id, id }, change) => updatePlatformKey(writer, org_id, id, change),
    remove: (writer, { org_id, id }, nowMs) => revokePlatformKey(writer, org_id, id, { by: 'file', nowMs }),
    toRevoked: (row, nowMs) => ({ ...row, revoked_at: nowMs, updated_at: nowMs, updated_by: 'file' }),
    auditView: toPlatformKey,
  });
}

function indexByHash(stored: readonly PlatformKeyRow[]): ReadonlyMap<string, PlatformKeyRow> {
  const rows = new Map(stored.map((row) => [row.hash, row]));
  for (const row of stored) if (row.previous_hash) rows.set(row.previous_hash, row);
  return rows;
}

function findForeignValues(
  declared: readonly DeclaredKey[],
  stored: ReadonlyMap<string, PlatformKeyRow>,
  hashOf: (key: DeclaredKey) => string,
): ConfigIssue[] {
  return declared
    .filter((key) => (stored.get(hashOf(key))?.org_id ?? key.orgId) !== key.orgId)
    .map(({ path, config }) => ({
      path: [...path, config.key === undefined ? 'imported_hash' : 'key'],
      message: FOREIGN_KEY_VALUE,
    }));
}

/** Matches by value first, so that a renamed key keeps its id. */
function matchStoredKeys(
  declared: readonly DeclaredKey[],
  stored: readonly PlatformKeyRow[],
  hashOf: (key: DeclaredKey) => string,
): Map<DeclaredKey, PlatformKeyRow> {
  const taken = new Map<DeclaredKey, PlatformKeyRow>();
  const free = new Set(stored);
  const rows = indexByHash(stored);
  const take = (key: DeclaredKey, row: PlatformKeyRow | undefined) => {
    if (!row || !free.has(row)) return;
    taken.set(key, row);
    free.delete(row);
  };
  for (const key of declared) take(key, rows.get(hashOf(key)));
  const nameKey = (orgId: string, name: string) => JSON.stringify([orgId, name]);
  const byName = Map.groupBy(free, (row) => nameKey(row.org_id, row.name));
  for (const key of declared) {
    if (taken.has(key)) continue;
    const named = (byName.get(nameKey(key.orgId, key.config.name)) ?? []).filter((row) => free.has(row));
    take(key, named.find((row) => row.source === 'file') ?? named.find((row) => row.revoked_at === null));
  }
  return taken;
}

function toKeyColumns({ config }: DeclaredKey, value: PlatformKeyValueColumns) {
  const { scopes, models, paths, expires_at } = config;
  return {
    ...storedKeyFields.parse(config),
    ...value,
    scopes_json: JSON.stringify(scopes),
    models_json: models ? JSON.stringify(models) : null,
    paths_json: paths.length > 0 ? JSON.stringify(paths) : null,
    expires_at: expires_at === undefined ? null : Date.parse(expires_at),
    revoked_at: null,
    ...UNROTATED_PLATFORM_KEY_COLUMNS,
  };
}

/** A leaked key stays revoked until the file contains another value. */
function leakColumns(
  row: PlatformKeyRow,
  hash: string,
): Partial<Pick<PlatformKeyRow, 'revoked_at' | 'leaked_at'>> {
  if (typeof row.leaked_at !== 'number') return {};
  return row.hash === hash ? { revoked_at: row.revoked_at } : { leaked_at: null };
}
