import { BY_NAME_AND_TIME, type ListRequest, type Page, pageOf } from '../pages.ts';
import type { Reader, Writer } from '../ports.ts';
import type { BoardsTable } from './tables.ts';

export type BoardRow = BoardsTable;

/** The board with this slug, of whatever org: slugs are unique in the installation. */
export function boardBySlug(reader: Reader, slug: string): Promise<BoardRow | undefined> {
  return reader.selectFrom('boards').selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** A board of an org, by id or by slug. */
export function boardById(reader: Reader, orgId: string, idOrSlug: string): Promise<BoardRow | undefined> {
  return reader
    .selectFrom('boards')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(({ eb, or }) => or([eb('id', '=', idOrSlug), eb('slug', '=', idOrSlug)]))
    .executeTakeFirst();
}

/** Boards of every org. */
export function allBoards(reader: Reader): Promise<BoardRow[]> {
  return reader.selectFrom('boards').selectAll().orderBy('created_at').orderBy('id').execute();
}

/** Boards of an org, in the order asked for. */
export function boardPage(reader: Reader, request: ListRequest): Promise<Page<BoardRow>> {
  const rows = reader.selectFrom('boards').selectAll().where('org_id', '=', request.orgId);
  return pageOf(reader, rows, BY_NAME_AND_TIME, request);
}

/** @throws Fault `conflict` when a board of any org has this slug. */
export async function insertBoard(writer: Writer, row: BoardRow): Promise<void> {
  await writer.insertInto('boards').values(row).execute();
}

/** @throws Fault `conflict` when another board of any org has this slug. */
export async function changeBoard(
  writer: Writer,
  id: string,
  change: Partial<Omit<BoardRow, 'id' | 'created_at'>>,
): Promise<void> {
  await writer.updateTable('boards').set(change).where('id', '=', id).execute();
}

export async function deleteBoard(writer: Writer, id: string): Promise<void> {
  await writer.deleteFrom('boards').where('id', '=', id).execute();
}
