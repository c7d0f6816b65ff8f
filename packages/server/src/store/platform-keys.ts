import { type Page, type PageRequest, pageOf, positionOf } from './page.ts';
import type { Reader, Writer } from './ports.ts';
import type { PlatformKeysTable } from './schema.ts';

export type PlatformKeyRow = PlatformKeysTable;

export async function insertKey(writer: Writer, row: PlatformKeyRow): Promise<void> {
  await writer.insertInto('platform_keys').values(row).execute();
}

export function findKey(reader: Reader, orgId: string, id: string): Promise<PlatformKeyRow | undefined> {
  return reader
    .selectFrom('platform_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The key of this name that is neither revoked nor expired, if there is one. */
export function findKeyInUse(
  reader: Reader,
  orgId: string,
  name: string,
  nowMs: number,
): Promise<PlatformKeyRow | undefined> {
  return reader
    .selectFrom('platform_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', nowMs)]))
    .executeTakeFirst();
}

/** The keys of one org, newest first, revoked ones included. */
export async function listKeys(
  reader: Reader,
  orgId: string,
  request: PageRequest,
): Promise<Page<PlatformKeyRow>> {
  let query = reader.selectFrom('platform_keys').selectAll().where('org_id', '=', orgId);
  if (request.cursor !== undefined) {
    const { at, id } = positionOf(request.cursor);
    query = query.where((is) => is(is.refTuple('created_at', 'id'), '<', is.tuple(at, id)));
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
  return pageOf(rows, request.limit, (row) => ({ at: row.created_at, id: row.id }));
}

/** Every key of every org, for the snapshot and for the file. */
export function allKeys(reader: Reader): Promise<PlatformKeyRow[]> {
  return reader.selectFrom('platform_keys').selectAll().orderBy('id').execute();
}

export async function updateKey(
  writer: Writer,
  id: string,
  change: Partial<Omit<PlatformKeyRow, 'id' | 'org_id' | 'created_at'>>,
): Promise<void> {
  await writer.updateTable('platform_keys').set(change).where('id', '=', id).execute();
}

/** Sets when keys were last used; times in milliseconds since the epoch, and never backwards. */
export async function touchKeys(writer: Writer, usedAt: ReadonlyMap<string, number>): Promise<void> {
  for (const [id, at] of usedAt)
    await writer
      .updateTable('platform_keys')
      .set({ last_used_at: at })
      .where('id', '=', id)
      .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', at)]))
      .execute();
}
