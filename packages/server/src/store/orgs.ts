import type { Reader, Writer } from './ports.ts';
import type { OrgsTable } from './schema.ts';

export type OrgRow = OrgsTable;

export async function insertOrg(writer: Writer, org: OrgRow): Promise<void> {
  await writer.insertInto('orgs').values(org).execute();
}

/** Adds an org, or renames the one with its id. */
export async function putOrg(writer: Writer, org: OrgRow): Promise<void> {
  await writer
    .insertInto('orgs')
    .values(org)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ name: org.name }))
    .execute();
}

export function orgById(reader: Reader, id: string): Promise<OrgRow | undefined> {
  return reader.selectFrom('orgs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Every org, oldest first. */
export function allOrgs(reader: Reader): Promise<OrgRow[]> {
  return reader.selectFrom('orgs').selectAll().orderBy('created_at').orderBy('id').execute();
}
