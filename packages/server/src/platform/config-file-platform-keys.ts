import type { KeyObject } from 'node:crypto';
import { keyFieldsStoredAsIs } from '@floe/contract/api/keys';
import type { PlatformKeyConfig } from '@floe/contract/config';
import type { ConfigIssue } from '@floe/contract/config/cross-object-rules';
import type { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { createId } from '../core/ids.ts';
import { listAllPlatformKeys, listRevokedPlatformKeysByHash } from '../store/all-platform-keys.ts';
import {
  insertPlatformKeys,
  type PlatformKeyRow,
  revokePlatformKey,
  shiftPlatformKeySourceLines,
  updatePlatformKey,
} from '../store/platform-keys.ts';
import { listPlatformKeysByHash } from '../store/snapshot-platform-keys.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import {
  buildPlatformKeyValueColumns,
  type PlatformKeyValueColumns,
  UNROTATED_PLATFORM_KEY_COLUMNS,
} from './build-platform-key.ts';
import {
  defineConfigFileResourceKind,
  type ExistingResources,
  type MatchedResourceRows,
  type StoredResourceKind,
} from './config-file-resource-kind.ts';
import type { DeclaredResource } from './declared-resources.ts';
import { describeRulesForKey, findStoredRulesForKeys } from './rules-for-keys.ts';
import { toPlatformKeyResource } from './stored-platform-key.ts';

const FOREIGN_KEY_VALUE =
  "must not be a current or previous value of another organization's key; use a different value";

type DeclaredKey = DeclaredResource<PlatformKeyConfig>;

/** The resource kind of platform keys, both from floe.yaml and created with the API. */
export const STORED_PLATFORM_KEY_RESOURCE_KIND: StoredResourceKind<PlatformKeyConfig, PlatformKeyRow> = {
  kind: 'keys',
  list: ({ keys }) => keys,
  nameOf: ({ name }) => name,
  stored: (reader, orgIds) => listAllPlatformKeys(reader, { orgIds, omitsRevokedApiKeys: true }),
  storedName: ({ name }) => name,
  isRemoved: ({ revoked_at }) => revoked_at !== null,
};

/**
 * Returns the resource kind of platform keys in floe.yaml. A key in the file takes over the stored key with
 * the same value. If there is none, it takes over the active key with the same name.
 */
export function createConfigFilePlatformKeyResourceKind(pepper: KeyObject) {
  // Each value is needed several times, and its HMAC takes 2 µs.
  const values = new WeakMap<PlatformKeyConfig, PlatformKeyValueColumns>();
  const getValue = ({ config }: DeclaredKey): PlatformKeyValueColumns => {
    const value = values.get(config) ?? buildPlatformKeyValueColumns(pepper, config);
    if (!value) throw new Error('a platform key in floe.yaml has no value');
    values.set(config, value);
    return value;
  };
  const hashOf = (key: DeclaredKey) => getValue(key).hash;
  // Written together by `flush`.
  const added: PlatformKeyRow[] = [];
  const moved = new Map<number, string[]>();
  return defineConfigFileResourceKind({
    ...STORED_PLATFORM_KEY_RESOURCE_KIND,
    storedFromFile: (reader) => listAllPlatformKeys(reader, { source: 'file' }),
    prepare: getValue,
    async match(declared, stored, turns, reader) {
      const revoked = await findRevokedApiKeys(declared, stored, { hashOf, reader });
      return matchStoredKeys(declared, [...stored, ...revoked], { hashOf, turns });
    },
    findIssues: async (declared, matched, existing) => [
      ...(await findForeignValues(declared, matched, existing.reader, hashOf)),
      ...(await findNameIssues(declared, matched, existing, hashOf)),
    ],
    columns: (object, before) => ({
      ...toKeyColumns(object, getValue(object)),
      ...(before && leakColumns(before, hashOf(object))),
    }),
    row: (columns): PlatformKeyRow => ({
      ...columns,
      id: createId('key', columns.created_at),
      created_by: 'file',
      last_used_at: null,
    }),
    insert: (_, row) => void added.push(row),
    update(writer, before, change, next) {
      const lines = change.updated_at === undefined ? linesMoved(before, next) : null;
      if (lines === null) return updatePlatformKey(writer, before.org_id, before.id, change);
      const ids = moved.get(lines) ?? [];
      ids.push(before.id);
      moved.set(lines, ids);
      return undefined;
    },
    remove: (writer, { org_id, id }, nowMs) => revokePlatformKey(writer, org_id, id, { by: 'file', nowMs }),
    toRevoked: (row, nowMs) => ({ ...row, revoked_at: nowMs, updated_at: nowMs, updated_by: 'file' }),
    async flush(writer) {
      await insertPlatformKeys(writer, added.splice(0));
      for (const [lines, ids] of moved) await shiftPlatformKeySourceLines(writer, ids, lines);
      moved.clear();
    },
    auditView: toPlatformKeyResource,
  });
}

/** The number of lines by which a key of the same file moved. Null if it came from elsewhere. */
function linesMoved(before: PlatformKeyRow, next: PlatformKeyRow): number | null {
  const isSameFile = before.source === next.source && before.source_file === next.source_file;
  if (!isSameFile || before.source_line === null || next.source_line === null) return null;
  return next.source_line - before.source_line;
}

type RowWithHash = Pick<PlatformKeyRow, 'hash' | 'previous_hash'>;

function indexByHash<Row extends RowWithHash>(stored: readonly Row[]): ReadonlyMap<string, Row> {
  const rows = new Map(stored.map((row) => [row.hash, row]));
  for (const row of stored) if (row.previous_hash) rows.set(row.previous_hash, row);
  return rows;
}

/** A value that the organization already has cannot be that of another organization. */
async function findForeignValues(
  declared: readonly DeclaredKey[],
  matched: MatchedResourceRows<PlatformKeyConfig, PlatformKeyRow>,
  reader: DatabaseReader,
  hashOf: (key: DeclaredKey) => string,
): Promise<ConfigIssue[]> {
  const issues: ConfigIssue[] = [];
  const added = declared.filter((key) => matched.get(key)?.hash !== hashOf(key));
  for (let at = 0; at < added.length; at += HASHES_PER_QUERY) {
    const keys = added.slice(at, at + HASHES_PER_QUERY);
    const stored = indexByHash(await listPlatformKeysByHash(reader, keys.map(hashOf)));
    for (const key of keys) {
      if ((stored.get(hashOf(key))?.org_id ?? key.orgId) === key.orgId) continue;
      const field = key.config.key === undefined ? 'imported_hash' : 'key';
      issues.push({ path: [...key.path, field], message: FOREIGN_KEY_VALUE });
    }
  }
  return issues;
}

/**
 * Limits, budgets, relay rules and analytics identify a key by its name. So a renamed key, or a revoked key that
 * becomes active, must not take the name of another active key. The previous name of a renamed key must not be in a
 * rule that was created with the API.
 */
async function findNameIssues(
  declared: readonly DeclaredKey[],
  matched: MatchedResourceRows<PlatformKeyConfig, PlatformKeyRow>,
  { reader, stored, nowMs }: ExistingResources<PlatformKeyRow>,
  hashOf: (key: DeclaredKey) => string,
): Promise<ConfigIssue[]> {
  const issues: ConfigIssue[] = [];
  const named = declared.filter((key) => {
    const row = matched.get(key);
    if (row === undefined || staysRevoked(row, hashOf(key))) return false;
    return row.revoked_at !== null || row.name !== key.config.name;
  });
  if (named.length === 0) return issues;
  const taken = new Set(matched.values());
  // Other keys of the file are revoked, because it does not contain them any more.
  const others = Map.groupBy(
    stored.filter((row) => row.source !== 'file' && !taken.has(row) && isActiveKey(row, nowMs)),
    (row) => row.org_id,
  );
  const names = Map.groupBy(declared, ({ orgId }) => orgId);
  for (const [orgId, keys] of Map.groupBy(named, (key) => key.orgId)) {
    const otherIds = new Map((others.get(orgId) ?? []).map(({ name, id }) => [name, id]));
    const used = new Set([...otherIds.keys(), ...(names.get(orgId) ?? []).map(({ config }) => config.name)]);
    const previousName = (key: DeclaredKey) => matched.get(key)?.name ?? '';
    // No rule needs the name of a revoked key.
    const isRenamed = (key: DeclaredKey) =>
      matched.get(key)?.revoked_at === null && previousName(key) !== key.config.name;
    const renamed = keys.filter(isRenamed);
    const unused = new Map(
      renamed.map((key) => [previousName(key), key.config.name] as const).filter(([name]) => !used.has(name)),
    );
    const rules = await findStoredRulesForKeys(reader, orgId, unused);
    for (const key of keys) {
      const path = [...key.path, 'name'];
      const id = otherIds.get(key.config.name);
      if (id !== undefined)
        issues.push({
          path,
          message: `must not be the name of another active key; ${id} already has this name`,
        });
      const found = isRenamed(key) ? rules.get(previousName(key)) : undefined;
      if (found)
        issues.push({
          path,
          message: `the key "${previousName(key)}" cannot be renamed, ${describeRulesForKey(found)}`,
        });
    }
  }
  return issues;
}

function isActiveKey({ revoked_at, expires_at }: PlatformKeyRow, nowMs: number): boolean {
  return revoked_at === null && (expires_at === null || expires_at > nowMs);
}

const HASHES_PER_QUERY = 200;

/** Returns the stored keys with values of the file that `stored` leaves out, because they are revoked. */
async function findRevokedApiKeys(
  declared: readonly DeclaredKey[],
  stored: readonly PlatformKeyRow[],
  { hashOf, reader }: { readonly hashOf: (key: DeclaredKey) => string; readonly reader: DatabaseReader },
): Promise<PlatformKeyRow[]> {
  const rows = indexByHash(stored);
  const added = declared.filter((key) => !rows.has(hashOf(key)));
  const found: PlatformKeyRow[] = [];
  for (let at = 0; at < added.length; at += HASHES_PER_QUERY) {
    const keys = added.slice(at, at + HASHES_PER_QUERY);
    found.push(...(await listRevokedPlatformKeysByHash(reader, keys[0]?.orgId ?? '', keys.map(hashOf))));
  }
  return found;
}

/** Matches by value first, so that a renamed key keeps its id. */
async function matchStoredKeys(
  declared: readonly DeclaredKey[],
  stored: readonly PlatformKeyRow[],
  {
    hashOf,
    turns,
  }: { readonly hashOf: (key: DeclaredKey) => string; readonly turns: Pick<EventLoopYielder, 'endStep'> },
): Promise<Map<DeclaredKey, PlatformKeyRow>> {
  const taken = new Map<DeclaredKey, PlatformKeyRow>();
  const free = new Set(stored);
  const rows = indexByHash(stored);
  const take = (key: DeclaredKey, row: PlatformKeyRow | undefined) => {
    if (!row || !free.has(row)) return;
    taken.set(key, row);
    free.delete(row);
  };
  for (const key of declared) {
    take(key, rows.get(hashOf(key)));
    await turns.endStep();
  }
  const byName = Map.groupBy(free, (row) => row.name);
  for (const key of declared) {
    if (taken.has(key)) continue;
    const named = (byName.get(key.config.name) ?? []).filter((row) => free.has(row));
    take(key, named.find((row) => row.source === 'file') ?? named.find((row) => row.revoked_at === null));
    await turns.endStep();
  }
  return taken;
}

function toKeyColumns({ config }: DeclaredKey, value: PlatformKeyValueColumns) {
  const { scopes, models, paths, expires_at } = config;
  return {
    ...keyFieldsStoredAsIs.parse(config),
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
function staysRevoked(row: PlatformKeyRow, hash: string): boolean {
  return typeof row.leaked_at === 'number' && row.hash === hash;
}

function leakColumns(
  row: PlatformKeyRow,
  hash: string,
): Partial<Pick<PlatformKeyRow, 'revoked_at' | 'leaked_at'>> {
  if (typeof row.leaked_at !== 'number') return {};
  return staysRevoked(row, hash) ? { revoked_at: row.revoked_at } : { leaked_at: null };
}
