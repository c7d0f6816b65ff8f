import { decodeCursor, type Page, type PageRequest, toPage } from '../pages.ts';
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

/** Boards of an org, newest first. */
export async function boardPage(reader: Reader, request: PageRequest): Promise<Page<BoardRow>> {
  let query = reader.selectFrom('boards').selectAll().where('org_id', '=', request.orgId);
  if (request.cursor !== undefined) {
    const { at, id } = decodeCursor(request.cursor);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(at, id)));
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
  return toPage(rows, request.limit, (row) => ({ at: row.created_at, id: row.id }));
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
