import type { Insertable, Selectable, Updateable } from 'kysely';
import {
  cacheConfigEntryList,
  getCachedConfigEntryList,
  updateCachedConfigEntryList,
} from './config-entry-list-cache.ts';
import type { ConfigEntryRow, ProviderCredentialsTable } from './config-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/** The kinds of resources that are stored as config entries. */
export type ConfigEntryKind = 'providers' | 'routes' | 'policies' | 'settings';
export type { ConfigEntryRow } from './config-tables.ts';
export type ConfigEntryUpdate = Partial<Omit<ConfigEntryRow, 'org_id' | 'kind'>>;
export type ProviderCredentialRow = Selectable<ProviderCredentialsTable>;

/**
 * Returns config entries in order. If `kind` or `orgIds` is given, returns only the entries of this kind or
 * of these organizations. Entries from floe.yaml come first, in file order.
 */
export function listAllConfigEntries(
  reader: DatabaseReader,
  kind?: ConfigEntryKind,
  orgIds?: readonly string[],
): Promise<ConfigEntryRow[]> {
  let query = reader.selectFrom('config_entries').selectAll();
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (orgIds !== undefined) query = query.where('org_id', 'in', orgIds);
  return query.orderBy('source', 'desc').orderBy('position').orderBy('id').execute();
}

/** Returns the ids of the organizations that have entries of a kind from floe.yaml. */
export async function listOrgsWithFileEntries(
  reader: DatabaseReader,
  kind: ConfigEntryKind,
): Promise<string[]> {
  const query = reader.selectFrom('config_entries').select('org_id').distinct();
  const rows = await query.where('kind', '=', kind).where('source', '=', 'file').execute();
  return rows.map(({ org_id }) => org_id);
}

/**
 * Returns an organization's config entries, or only those of one kind if `kind` is given. Entries from
 * floe.yaml come first, in file order.
 */
export async function listConfigEntriesOfOrg(
  reader: DatabaseReader,
  orgId: string,
  kind?: ConfigEntryKind,
): Promise<ConfigEntryRow[]> {
  const kept = kind && getCachedConfigEntryList(reader, { org_id: orgId, kind });
  if (kept) return [...kept];
  let query = reader.selectFrom('config_entries').selectAll().where('org_id', '=', orgId);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  const list = await query.orderBy('source', 'desc').orderBy('position').orderBy('id').execute();
  if (kind !== undefined) cacheConfigEntryList(reader, { org_id: orgId, kind }, list);
  return [...list];
}

/** Returns an organization's config entry of a kind by its id. */
export function findConfigEntryById(
  reader: DatabaseReader,
  orgId: string,
  kind: ConfigEntryKind,
  id: string,
): Promise<ConfigEntryRow | undefined> {
  return reader
    .selectFrom('config_entries')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertConfigEntry(
  writer: DatabaseWriter,
  row: Omit<ConfigEntryRow, 'source_file'> & Partial<Pick<ConfigEntryRow, 'source_file'>>,
): Promise<void> {
  await writer.insertInto('config_entries').values(row).execute();
  updateCachedConfigEntryList(writer, row, (list) => [...list, { source_file: null, ...row }]);
}

type ConfigEntryKey = Pick<ConfigEntryRow, 'org_id' | 'kind' | 'id'>;

export async function updateConfigEntry(
  writer: DatabaseWriter,
  place: ConfigEntryKey,
  change: ConfigEntryUpdate,
): Promise<void> {
  await writer
    .updateTable('config_entries')
    .set(change)
    .where('org_id', '=', place.org_id)
    .where('kind', '=', place.kind)
    .where('id', '=', place.id)
    .execute();
  updateCachedConfigEntryList(writer, place, (list) =>
    list.map((row) => (row.id === place.id ? { ...row, ...change } : row)),
  );
}

/**
 * Frees a position for a new entry: increments all positions from `position` on, except those of entries from
 * floe.yaml.
 */
export async function shiftConfigEntryPositions(
  writer: DatabaseWriter,
  { org_id, kind }: Pick<ConfigEntryKey, 'org_id' | 'kind'>,
  position: number,
): Promise<void> {
  await writer
    .updateTable('config_entries')
    .set(({ eb }) => ({ position: eb('position', '+', 1) }))
    .where('org_id', '=', org_id)
    .where('kind', '=', kind)
    .where('source', '!=', 'file')
    .where('position', '>=', position)
    .execute();
  updateCachedConfigEntryList(writer, { org_id, kind }, (list) =>
    list.map((row) =>
      row.source !== 'file' && row.position >= position ? { ...row, position: row.position + 1 } : row,
    ),
  );
}

export async function deleteConfigEntry(writer: DatabaseWriter, key: ConfigEntryKey): Promise<void> {
  await writer
    .deleteFrom('config_entries')
    .where('org_id', '=', key.org_id)
    .where('kind', '=', key.kind)
    .where('id', '=', key.id)
    .execute();
  updateCachedConfigEntryList(writer, key, (list) => list.filter(({ id }) => id !== key.id));
}

/**
 * Returns the provider credentials of the given organizations, or of all if the parameter is omitted, oldest
 * first.
 */
export function listAllProviderCredentials(
  reader: DatabaseReader,
  orgIds?: readonly string[],
): Promise<ProviderCredentialRow[]> {
  let query = reader.selectFrom('provider_credentials').selectAll();
  if (orgIds !== undefined) query = query.where('org_id', 'in', orgIds);
  return query.orderBy('created_at').orderBy('name').execute();
}

/**
 * Returns an organization's provider credentials, or only those of one provider if `providerId` is given,
 * oldest first.
 */
export async function listProviderCredentials(
  reader: DatabaseReader,
  orgId: string,
  providerId?: string,
): Promise<ProviderCredentialRow[]> {
  let query = reader.selectFrom('provider_credentials').selectAll().where('org_id', '=', orgId);
  if (providerId !== undefined) query = query.where('provider_id', '=', providerId);
  return query.orderBy('created_at').orderBy('name').execute();
}

export async function insertProviderCredential(
  writer: DatabaseWriter,
  row: Insertable<ProviderCredentialsTable>,
): Promise<void> {
  await writer.insertInto('provider_credentials').values(row).execute();
}

export async function updateProviderCredential(
  writer: DatabaseWriter,
  id: string,
  change: Omit<Updateable<ProviderCredentialsTable>, 'id' | 'org_id' | 'provider_id'>,
): Promise<void> {
  await writer.updateTable('provider_credentials').set(change).where('id', '=', id).execute();
}

export async function deleteProviderCredential(writer: DatabaseWriter, id: string): Promise<void> {
  await writer.deleteFrom('provider_credentials').where('id', '=', id).execute();
}

/** Stores a credential test result, unless the credential has been replaced since the test. */
export async function recordCredentialTest(
  writer: DatabaseWriter,
  { id, version }: Pick<ProviderCredentialRow, 'id' | 'version'>,
  test_json: string,
  nowMs: number,
): Promise<void> {
  await writer
    .updateTable('provider_credentials')
    .set({ tested_at: nowMs, test_json })
    .where('id', '=', id)
    .where('version', '=', version)
    .execute();
}
