import type { Reader, Writer } from './ports.ts';
import type { OrgsTable } from './schema.ts';

export type OrgRow = OrgsTable;

export function allOrgs(reader: Reader): Promise<OrgRow[]> {
  return reader.selectFrom('orgs').selectAll().orderBy('id').execute();
}

export function findOrg(reader: Reader, id: string): Promise<OrgRow | undefined> {
  return reader.selectFrom('orgs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Adds the org or gives an existing one its name. */
export async function putOrg(writer: Writer, org: OrgRow): Promise<void> {
  await writer
    .insertInto('orgs')
    .values(org)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ name: org.name }))
    .execute();
}
