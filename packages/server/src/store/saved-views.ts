import type { Selectable } from 'kysely';
import type { SavedViewsTable } from './live-tables.ts';
import { getResourceListPage, type ListRequest, RESOURCE_LIST_COLUMNS, type RowPage } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type SavedViewRow = Selectable<SavedViewsTable>;

interface ViewRequest extends ListRequest {
  readonly owner: string;
  /** Only views of this page. */
  readonly page?: string | undefined;
}

/**
 * Returns a page of the views that `owner` can see, in the requested order: the owner's own views
 * and the organization's shared views.
 */
export function getSavedViewPage(
  reader: DatabaseReader,
  { owner, page, ...request }: ViewRequest,
): Promise<RowPage<SavedViewRow>> {
  const rows = reader
    .selectFrom('views')
    .selectAll()
    .where('org_id', '=', request.orgId)
    .where(({ eb, or }) => or([eb('owner', '=', owner), eb('shared', '=', 1)]));
  return getResourceListPage(
    reader,
    page === undefined ? rows : rows.where('page', '=', page),
    RESOURCE_LIST_COLUMNS,
    request,
  );
}

export function findSavedViewById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<SavedViewRow | undefined> {
  return reader
    .selectFrom('views')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Inserts a view, or replaces the one with the same id. */
export async function upsertSavedView(writer: DatabaseWriter, row: SavedViewRow): Promise<void> {
  const { id: _, org_id: __, created_at: ___, ...rest } = row;
  await writer
    .insertInto('views')
    .values(row)
    .onConflict((conflict) => conflict.columns(['org_id', 'id']).doUpdateSet(rest))
    .execute();
}

export async function deleteSavedView(writer: DatabaseWriter, orgId: string, id: string): Promise<void> {
  await writer.deleteFrom('views').where('org_id', '=', orgId).where('id', '=', id).execute();
}
