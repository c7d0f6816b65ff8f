import type { KeyObject } from 'node:crypto';
import { keyStored } from '@floe/contract/api/keys';
import type { PlatformKeyConfig } from '@floe/contract/config';
import type { ConfigIssue } from '@floe/contract/config/references';
import { newId } from '../core/ids.ts';
import { allKeys, changeKey, insertKey, type PlatformKeyRow, revokeKey } from '../store/platform-keys.ts';
import type { Declared } from './file-org.ts';
import { fileKind, type StoredListKind } from './file-sync.ts';
import { keyHint } from './key-format.ts';
import { hashKey } from './keyring.ts';
import { NOT_ROTATED } from './make-key.ts';
import { platformKeyOf } from './stored-key.ts';

const FOREIGN =
  'is or was the value of a key of another organization, which a key stays with; give this one a value of its own';

type FileKey = Declared<PlatformKeyConfig>;

/** Platform keys, in floe.yaml and stored. */
export const KEYS: StoredListKind<PlatformKeyConfig, PlatformKeyRow> = {
  kind: 'keys',
  list: ({ keys }) => keys,
  nameOf: ({ name }) => name,
  stored: allKeys,
  storedName: ({ name }) => name,
  isRemoved: ({ revoked_at }) => revoked_at !== null,
};

/**
 * Platform keys of floe.yaml. A stored key is taken over when it has the same value, else when it has the same name and is
 * in use.
 */
export function fileKeys(pepper: KeyObject) {
  const hashOf = ({ config }: FileKey) => hashKey(pepper, bare(config.key));
  return fileKind({
    ...KEYS,
    match: (declared, stored) => match(declared, stored, hashOf),
    problems: (declared, stored) => foreignValues(declared, byHash(stored), hashOf),
    columns: (object, before) => ({
      ...columnsOf(object, hashOf(object)),
      ...(before && leak(before, hashOf(object))),
    }),
    row: (columns): PlatformKeyRow => ({
      ...columns,
      id: newId('key', columns.created_at),
      created_by: 'file',
      last_used_at: null,
    }),
    insert: insertKey,
    update: (writer, { org_id, id }, change) => changeKey(writer, org_id, id, change),
    remove: (writer, { org_id, id }, nowMs) => revokeKey(writer, org_id, id, { by: 'file', nowMs }),
    revoked: (row, nowMs) => ({ ...row, revoked_at: nowMs, updated_at: nowMs, updated_by: 'file' }),
    shown: platformKeyOf,
  });
}

/** `sk-eis_…` is the same key as `eis_…`. */
function bare(key: string): string {
  return key.replace(/^sk-/, '');
}

function byHash(stored: readonly PlatformKeyRow[]): ReadonlyMap<string, PlatformKeyRow> {
  const rows = new Map(stored.map((row) => [row.hash, row]));
  for (const row of stored) if (row.previous_hash) rows.set(row.previous_hash, row);
  return rows;
}

function foreignValues(
  declared: readonly FileKey[],
  stored: ReadonlyMap<string, PlatformKeyRow>,
  hashOf: (key: FileKey) => string,
): ConfigIssue[] {
  return declared
    .filter((key) => (stored.get(hashOf(key))?.org_id ?? key.orgId) !== key.orgId)
    .map(({ path }) => ({ path: [...path, 'key'], message: FOREIGN }));
}

/** By value first, so a renamed key keeps its id. */
function match(
  declared: readonly FileKey[],
  stored: readonly PlatformKeyRow[],
  hashOf: (key: FileKey) => string,
): Map<FileKey, PlatformKeyRow> {
  const taken = new Map<FileKey, PlatformKeyRow>();
  const free = new Set(stored);
  const rows = byHash(stored);
  const take = (key: FileKey, row: PlatformKeyRow | undefined) => {
    if (!row || !free.has(row)) return;
    taken.set(key, row);
    free.delete(row);
  };
  for (const key of declared) take(key, rows.get(hashOf(key)));
  for (const key of declared) {
    if (taken.has(key)) continue;
    const named = [...free].filter((row) => row.org_id === key.orgId && row.name === key.config.name);
    take(key, named.find((row) => row.source === 'file') ?? named.find((row) => row.revoked_at === null));
  }
  return taken;
}

function columnsOf({ config }: FileKey, hash: string) {
  const { key, scopes, models, paths, expires_at } = config;
  return {
    ...keyStored.parse(config),
    hash,
    ...keyHint(bare(key)),
    scopes_json: JSON.stringify(scopes),
    models_json: models ? JSON.stringify(models) : null,
    paths_json: paths.length > 0 ? JSON.stringify(paths) : null,
    expires_at: expires_at === undefined ? null : Date.parse(expires_at),
    revoked_at: null,
    ...NOT_ROTATED,
  };
}

/** A value that was reported as leaked stays revoked until the file holds another one. */
function leak(row: PlatformKeyRow, hash: string): Partial<Pick<PlatformKeyRow, 'revoked_at' | 'leaked_at'>> {
  if (typeof row.leaked_at !== 'number') return {};
  return row.hash === hash ? { revoked_at: row.revoked_at } : { leaked_at: null };
}
