import type { Selectable } from 'kysely';
import type { ViewsTable } from './live-tables.ts';
import { BY_NAME_AND_TIME, type ListRequest, type Page, pageOf } from './pages.ts';
import type { Reader, Writer } from './ports.ts';

export type ViewRow = Selectable<ViewsTable>;

interface ViewRequest extends ListRequest {
  readonly owner: string;
  /** Only views of this page. */
  readonly page?: string | undefined;
}

/** Views of an org that `owner` sees, in the order asked for: its own and those that are shared. */
export function viewPage(reader: Reader, { owner, page, ...request }: ViewRequest): Promise<Page<ViewRow>> {
  const rows = reader
    .selectFrom('views')
    .selectAll()
    .where('org_id', '=', request.orgId)
    .where(({ eb, or }) => or([eb('owner', '=', owner), eb('shared', '=', 1)]));
  return pageOf(reader, page === undefined ? rows : rows.where('page', '=', page), BY_NAME_AND_TIME, request);
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
