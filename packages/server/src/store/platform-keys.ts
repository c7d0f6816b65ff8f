import { sql } from 'kysely';
import type { PlatformKeysTable } from './key-and-audit-tables.ts';
import { getResourceListPage, type ListRequest, RESOURCE_LIST_COLUMNS, type RowPage } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type PlatformKeyRow = PlatformKeysTable;

/**
 * Inserts a key. Names need not be unique.
 * @throws Fault `conflict` if the id or the hash already exists
 */
export async function insertPlatformKey(writer: DatabaseWriter, key: PlatformKeyRow): Promise<void> {
  await writer.insertInto('platform_keys').values(key).execute();
}

/** Building a statement with this many rows takes about 2 ms. */
const KEYS_PER_INSERT = 50;
const IDS_PER_STATEMENT = 500;

/**
 * Inserts keys as `insertPlatformKey` does.
 * @throws Fault `conflict` if an id or a hash already exists
 */
export async function insertPlatformKeys(
  writer: DatabaseWriter,
  keys: readonly PlatformKeyRow[],
): Promise<void> {
  for (let at = 0; at < keys.length; at += KEYS_PER_INSERT)
    await writer
      .insertInto('platform_keys')
      .values(keys.slice(at, at + KEYS_PER_INSERT))
      .execute();
}

/** Adds `lines` to the stored floe.yaml line numbers of these keys. */
export async function shiftPlatformKeySourceLines(
  writer: DatabaseWriter,
  ids: readonly string[],
  lines: number,
): Promise<void> {
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT)
    await writer
      .updateTable('platform_keys')
      .set((eb) => ({ source_line: eb('source_line', '+', lines) }))
      .where('id', 'in', ids.slice(at, at + IDS_PER_STATEMENT))
      .execute();
}

/**
 * Returns the key, in any organization, whose current value or whose value before the last rotation has this
 * hash.
 */
export function findPlatformKeyByHash(
  reader: DatabaseReader,
  hash: string,
): Promise<PlatformKeyRow | undefined> {
  return reader
    .selectFrom('platform_keys')
    .selectAll()
    .where(({ eb, or }) => or([eb('hash', '=', hash), eb('previous_hash', '=', hash)]))
    .executeTakeFirst();
}

export interface PlatformKeyFilters {
  readonly owner?: string | undefined;
  readonly team?: string | undefined;
}

/** Returns a page of an organization's keys in the requested order, including revoked ones. */
export function getPlatformKeyPage(
  reader: DatabaseReader,
  request: ListRequest & PlatformKeyFilters,
): Promise<RowPage<PlatformKeyRow>> {
  let query = reader.selectFrom('platform_keys').selectAll().where('org_id', '=', request.orgId);
  for (const column of ['owner', 'team'] as const) {
    const value = request[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  return getResourceListPage(reader, query, RESOURCE_LIST_COLUMNS, request);
}

export function findPlatformKeyById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<PlatformKeyRow | undefined> {
  return reader
    .selectFrom('platform_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns an active key with this name. */
export function findActivePlatformKeyByName(
  reader: DatabaseReader,
  orgId: string,
  name: string,
  nowMs: number,
): Promise<PlatformKeyRow | undefined> {
  return reader
    .selectFrom('platform_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .executeTakeFirst();
}

/**
 * Returns the condition that a key has this owner. Owners are free text and may have capital letters; account
 * addresses are in lower case.
 */
const ownedBy = (email: string) => sql<boolean>`lower(owner) = ${email}`;

/**
 * Returns a member's keys that are not revoked: keys that the member owns, and keys that the member
 * created and that have no owner.
 */
export function listPlatformKeysOfMember(
  reader: DatabaseReader,
  orgId: string,
  member: { readonly id: string; readonly email: string },
): Promise<PlatformKeyRow[]> {
  return reader
    .selectFrom('platform_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or, and }) =>
      or([ownedBy(member.email), and([eb('owner', 'is', null), eb('created_by', '=', member.id)])]),
    )
    .orderBy('id')
    .execute();
}

export type PlatformKeyUpdate = Partial<Omit<PlatformKeyRow, 'id' | 'org_id' | 'created_at'>>;

export async function updatePlatformKey(
  writer: DatabaseWriter,
  orgId: string,
  id: string,
  change: PlatformKeyUpdate,
): Promise<void> {
  await writer
    .updateTable('platform_keys')
    .set(change)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Revokes an active key. Returns true to exactly one of several concurrent callers. */
export async function revokePlatformKey(
  writer: DatabaseWriter,
  orgId: string,
  id: string,
  { by, nowMs }: { readonly by: string; readonly nowMs: number },
): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('platform_keys')
    .set({ revoked_at: nowMs, updated_at: nowMs, updated_by: by })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The last time at which a key was used. */
export interface PlatformKeyUse {
  readonly id: string;
  readonly usedAt: number;
  /** Whether the value from before the last rotation was used, instead of the current one. */
  readonly previous?: boolean;
}

/** Updates when keys were last used, but never to an earlier time. Ignores deleted keys. */
export async function updatePlatformKeysLastUsed(
  writer: DatabaseWriter,
  uses: readonly PlatformKeyUse[],
): Promise<void> {
  for (const { id, usedAt, previous } of uses) {
    const column = previous ? 'previous_last_used_at' : 'last_used_at';
    await writer
      .updateTable('platform_keys')
      .set({ [column]: usedAt })
      .where('id', '=', id)
      .where(({ eb, or }) => or([eb(column, 'is', null), eb(column, '<', usedAt)]))
      .execute();
  }
}

/** Returns key names by id. Deleted keys are omitted. */
export async function getPlatformKeyNames(
  reader: DatabaseReader,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom('platform_keys')
    .select(['id', 'name'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/**
 * Returns the ids of up to 500 keys whose name has this prefix (ASCII case-insensitive), including
 * revoked keys.
 */
export async function listPlatformKeyIdsByNamePrefix(
  reader: DatabaseReader,
  orgId: string,
  prefix: string,
): Promise<string[]> {
  const pattern = `${prefix.replace(/[!%_]/g, '!$&')}%`;
  const rows = await reader
    .selectFrom('platform_keys')
    .select('id')
    .where('org_id', '=', orgId)
    .where(sql<boolean>`lower(name) like lower(${pattern}) escape '!'`)
    .limit(500)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the name, the team, and the times of creation and last update of an organization's keys, by key id. */
export async function getPlatformKeySummaries(
  reader: DatabaseReader,
  orgId: string,
): Promise<ReadonlyMap<string, Pick<PlatformKeyRow, 'name' | 'team' | 'created_at' | 'updated_at'>>> {
  const rows = await reader
    .selectFrom('platform_keys')
    .select(['id', 'name', 'team', 'created_at', 'updated_at'])
    .where('org_id', '=', orgId)
    .execute();
  return new Map(rows.map(({ id, ...key }) => [id, key]));
}

/**
 * Returns up to `limit` of an organization's active keys that expire between `now` and `before`,
 * earliest first. Omits keys whose whole lifetime is shorter than this time span.
 */
export function listExpiringPlatformKeys(
  reader: DatabaseReader,
  orgId: string,
  { now, before }: { readonly now: number; readonly before: number },
  limit: number,
): Promise<Pick<PlatformKeyRow, 'id' | 'name' | 'expires_at'>[]> {
  return (
    reader
      .selectFrom('platform_keys')
      .select(['id', 'name', 'expires_at'])
      .where('org_id', '=', orgId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .where('expires_at', '<', before)
      // Leaves out keys with a short lifetime, such as those of the playground, which expire as intended.
      .where(({ eb }) => eb(eb('expires_at', '-', eb.ref('created_at')), '>=', before - now))
      .orderBy('expires_at')
      .limit(limit)
      .execute()
  );
}
