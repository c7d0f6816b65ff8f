import type { Selectable } from 'kysely';
import type { ViewsTable } from './live-tables.ts';
import type { Reader, Writer } from './ports.ts';

export type ViewRow = Selectable<ViewsTable>;

/** Views of an org that `owner` sees, by name: its own and those that are shared. */
export function viewsOf(reader: Reader, orgId: string, owner: string): Promise<ViewRow[]> {
  return reader
    .selectFrom('views')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(({ eb, or }) => or([eb('owner', '=', owner), eb('shared', '=', 1)]))
    .orderBy('name')
    .orderBy('id')
    .execute();
}

export function viewById(reader: Reader, orgId: string, id: string): Promise<ViewRow | undefined> {
  return reader
    .selectFrom('views')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function countViews(reader: Reader, orgId: string): Promise<number> {
  const row = await reader
    .selectFrom('views')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Writes a view in the place of the one with its id, if there is one. */
export async function putView(writer: Writer, row: ViewRow): Promise<void> {
  const { id: _, org_id: __, created_at: ___, ...rest } = row;
  await writer
    .insertInto('views')
    .values(row)
    .onConflict((conflict) => conflict.columns(['org_id', 'id']).doUpdateSet(rest))
    .execute();
}

export async function removeView(writer: Writer, orgId: string, id: string): Promise<void> {
  await writer.deleteFrom('views').where('org_id', '=', orgId).where('id', '=', id).execute();
}
