import type { OrgsTable } from './schema.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type OrgRow = OrgsTable;

/** An organization to insert. The metadata keys are optional. */
export type NewOrgRow = Omit<OrgRow, 'metadata_keys_json'> & Partial<Pick<OrgRow, 'metadata_keys_json'>>;

export async function updateOrgDetails(
  writer: DatabaseWriter,
  id: string,
  change: Pick<OrgRow, 'name' | 'timezone' | 'updated_at' | 'updated_by'>,
): Promise<void> {
  await writer.updateTable('orgs').set(change).where('id', '=', id).execute();
}

export async function insertOrg(writer: DatabaseWriter, org: NewOrgRow): Promise<void> {
  await writer.insertInto('orgs').values(withDefaults(org)).execute();
}

/** Inserts an organization, or updates the name and metadata keys of the one with the same id. */
export async function upsertOrg(writer: DatabaseWriter, org: NewOrgRow): Promise<void> {
  const row = withDefaults(org);
  const { name, metadata_keys_json } = row;
  await writer
    .insertInto('orgs')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ name, metadata_keys_json }))
    .execute();
}

/** Sets which metadata keys of an organization's requests are indexed and counted in rollups. */
export async function setDeclaredMetadataKeys(
  writer: DatabaseWriter,
  orgId: string,
  names: readonly string[],
): Promise<void> {
  const metadata_keys_json = names.length > 0 ? JSON.stringify(names) : null;
  await writer.updateTable('orgs').set({ metadata_keys_json }).where('id', '=', orgId).execute();
}

function withDefaults(org: NewOrgRow): OrgRow {
  return { ...org, metadata_keys_json: org.metadata_keys_json ?? null };
}

export function findOrgById(reader: DatabaseReader, id: string): Promise<OrgRow | undefined> {
  return reader.selectFrom('orgs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the organizations with the given ids, or all if the parameter is omitted, oldest first. */
export function listOrgs(reader: DatabaseReader, ids?: readonly string[]): Promise<OrgRow[]> {
  let query = reader.selectFrom('orgs').selectAll();
  if (ids !== undefined) query = query.where('id', 'in', ids);
  return query.orderBy('created_at').orderBy('id').execute();
}
