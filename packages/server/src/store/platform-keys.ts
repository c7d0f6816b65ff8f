import { sql } from 'kysely';
import type { PlatformKeysTable } from './key-tables.ts';

import { DEFAULT_LIST_COLUMNS, getListPage, type ListRequest, type RowPage } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './ports.ts';

export type PlatformKeyRow = PlatformKeysTable;

/** @throws Fault `conflict` if the id or the hash exists. Names need not be unique. */
export async function insertPlatformKey(writer: DatabaseWriter, key: PlatformKeyRow): Promise<void> {
  await writer.insertInto('platform_keys').values(key).execute();
}

/** The key of any organization that has this value, or had it before its last rotation. */
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

/** Keys of an organization, including revoked ones, in the requested order. */
export function getPlatformKeyPage(
  reader: DatabaseReader,
  request: ListRequest & PlatformKeyFilters,
): Promise<RowPage<PlatformKeyRow>> {
  let query = reader.selectFrom('platform_keys').selectAll().where('org_id', '=', request.orgId);
  for (const column of ['owner', 'team'] as const) {
    const value = request[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  return getListPage(reader, query, DEFAULT_LIST_COLUMNS, request);
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

/** An active key with this name. */
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

/** Owners are free text, so that an address may have capital letters. Addresses of accounts have none. */
const ownedBy = (email: string) => sql<boolean>`lower(owner) = ${email}`;

/**
 * Keys of a member that are not revoked: those that they own, and those that they created without an owner.
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

/** Keys of all organizations, including revoked ones. */
export function listAllPlatformKeys(reader: DatabaseReader): Promise<PlatformKeyRow[]> {
  return reader.selectFrom('platform_keys').selectAll().orderBy('id').execute();
}

/**
 * Keys of all organizations for the snapshot: those not revoked, including expired ones, and those revoked
 * since `revokedSinceMs`, so that their holders get the reason.
 */
export function listSnapshotPlatformKeys(
  reader: DatabaseReader,
  revokedSinceMs: number,
): Promise<PlatformKeyRow[]> {
  return reader
    .selectFrom('platform_keys')
    .selectAll()
    .where(({ eb, or }) => or([eb('revoked_at', 'is', null), eb('revoked_at', '>=', revokedSinceMs)]))
    .orderBy('created_at')
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

/** Revokes an active key. Of several concurrent calls, exactly one returns `true`. */
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

/** One use of a key. */
export interface PlatformKeyUse {
  readonly id: string;
  readonly usedAt: number;
  /** Whether the value from before the last rotation was used. */
  readonly previous?: boolean;
}

/** Updates the time of last use, but never to an earlier time. Ignores deleted keys. */
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

/** Names of keys by id, without deleted keys. */
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

/** Ids of up to 500 keys whose name has this prefix (ASCII case-insensitive), including revoked ones. */
export async function findPlatformKeyIdsByPrefix(
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

/** Names and teams of all keys of an organization, by id. */
export async function getPlatformKeyTeams(
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

/** Up to `limit` active keys of an organization that expire between `now` and `before`, earliest first. */
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
