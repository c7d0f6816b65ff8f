import type { Insertable, Selectable, Updateable } from 'kysely';
import type { ConfigEntriesTable, ProviderCredentialsTable } from './config-tables.ts';
import type { Reader, Writer } from './ports.ts';

export type EntryKind = 'providers' | 'routes' | 'policies' | 'settings';
export type EntryRow = Selectable<ConfigEntriesTable>;
export type EntryChange = Omit<Updateable<ConfigEntriesTable>, 'org_id' | 'kind'>;
export type CredentialRow = Selectable<ProviderCredentialsTable>;

/** The entries of every org, of one kind or of all, in their order. */
export function allEntries(reader: Reader, kind?: EntryKind): Promise<EntryRow[]> {
  let query = reader.selectFrom('config_entries').selectAll();
  if (kind !== undefined) query = query.where('kind', '=', kind);
  return query.orderBy('position').orderBy('id').execute();
}

/** The entries of an org, of one kind or of all: those of floe.yaml as they stand there, then the others. */
export async function entriesOfOrg(reader: Reader, orgId: string, kind?: EntryKind): Promise<EntryRow[]> {
  let query = reader.selectFrom('config_entries').selectAll().where('org_id', '=', orgId);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  return query.orderBy('source', 'desc').orderBy('position').orderBy('id').execute();
}

export function entryById(
  reader: Reader,
  orgId: string,
  kind: EntryKind,
  id: string,
): Promise<EntryRow | undefined> {
  return reader
    .selectFrom('config_entries')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertEntry(writer: Writer, row: Insertable<ConfigEntriesTable>): Promise<void> {
  await writer.insertInto('config_entries').values(row).execute();
}

type EntryPlace = Pick<EntryRow, 'org_id' | 'kind' | 'id'>;

export async function changeEntry(writer: Writer, place: EntryPlace, change: EntryChange): Promise<void> {
  await writer
    .updateTable('config_entries')
    .set(change)
    .where('org_id', '=', place.org_id)
    .where('kind', '=', place.kind)
    .where('id', '=', place.id)
    .execute();
}

export async function removeEntry(writer: Writer, place: EntryPlace): Promise<void> {
  await writer
    .deleteFrom('config_entries')
    .where('org_id', '=', place.org_id)
    .where('kind', '=', place.kind)
    .where('id', '=', place.id)
    .execute();
}

/** Every credential of every org, oldest first. */
export function allCredentials(reader: Reader): Promise<CredentialRow[]> {
  return reader
    .selectFrom('provider_credentials')
    .selectAll()
    .orderBy('created_at')
    .orderBy('name')
    .execute();
}

/** The credentials of an org, of one provider or of all, oldest first. */
export async function credentialsOf(
  reader: Reader,
  orgId: string,
  providerId?: string,
): Promise<CredentialRow[]> {
  let query = reader.selectFrom('provider_credentials').selectAll().where('org_id', '=', orgId);
  if (providerId !== undefined) query = query.where('provider_id', '=', providerId);
  return query.orderBy('created_at').orderBy('name').execute();
}

export async function insertCredential(
  writer: Writer,
  row: Insertable<ProviderCredentialsTable>,
): Promise<void> {
  await writer.insertInto('provider_credentials').values(row).execute();
}

export async function changeCredential(
  writer: Writer,
  id: string,
  change: Omit<Updateable<ProviderCredentialsTable>, 'id' | 'org_id' | 'provider_id'>,
): Promise<void> {
  await writer.updateTable('provider_credentials').set(change).where('id', '=', id).execute();
}

export async function removeCredential(writer: Writer, id: string): Promise<void> {
  await writer.deleteFrom('provider_credentials').where('id', '=', id).execute();
}

/** Notes what a test found out, unless the key was replaced meanwhile. */
export async function noteTest(
  writer: Writer,
  { id, version }: Pick<CredentialRow, 'id' | 'version'>,
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
