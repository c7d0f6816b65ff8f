import { getResourceListPage, type ListRequest, RESOURCE_LIST_COLUMNS, type RowPage } from '../pagination.ts';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import type { BoardsTable } from './monitoring-tables.ts';

export type BoardRow = BoardsTable;

/** Returns the board with this slug. Slugs are unique in the installation. */
export function findBoardBySlug(reader: DatabaseReader, slug: string): Promise<BoardRow | undefined> {
  return reader.selectFrom('boards').selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** Returns an organization's board by id or slug. */
export function findBoardByIdOrSlug(
  reader: DatabaseReader,
  orgId: string,
  idOrSlug: string,
): Promise<BoardRow | undefined> {
  return reader
    .selectFrom('boards')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(({ eb, or }) => or([eb('id', '=', idOrSlug), eb('slug', '=', idOrSlug)]))
    .executeTakeFirst();
}

/** Returns the boards of the organizations in `orgIds`, or of all organizations if it is undefined. */
export function listAllBoards(reader: DatabaseReader, orgIds?: readonly string[]): Promise<BoardRow[]> {
  let query = reader.selectFrom('boards').selectAll();
  if (orgIds !== undefined) query = query.where('org_id', 'in', orgIds);
  return query.orderBy('created_at').orderBy('id').execute();
}

/** Returns the boards with these slugs. */
export function listBoardsBySlug(reader: DatabaseReader, slugs: readonly string[]): Promise<BoardRow[]> {
  return reader.selectFrom('boards').selectAll().where('slug', 'in', slugs).execute();
}

/** Returns a page of an organization's boards in the requested order. */
export function getBoardPage(reader: DatabaseReader, request: ListRequest): Promise<RowPage<BoardRow>> {
  const rows = reader.selectFrom('boards').selectAll().where('org_id', '=', request.orgId);
  return getResourceListPage(reader, rows, RESOURCE_LIST_COLUMNS, request);
}

/**
 * Inserts a board.
 * @throws Fault `conflict` if a board in any organization already has this slug
 */
export async function insertBoard(writer: DatabaseWriter, row: BoardRow): Promise<void> {
  await writer.insertInto('boards').values(row).execute();
}

/**
 * Updates a board.
 * @throws Fault `conflict` if another board in any organization has this slug
 */
export async function updateBoard(
  writer: DatabaseWriter,
  id: string,
  change: Partial<Omit<BoardRow, 'id' | 'created_at'>>,
): Promise<void> {
  await writer.updateTable('boards').set(change).where('id', '=', id).execute();
}

export async function deleteBoard(writer: DatabaseWriter, id: string): Promise<void> {
  await writer.deleteFrom('boards').where('id', '=', id).execute();
}
