import type { Selectable } from 'kysely';
import { tellLive } from './live-events.ts';
import type { BreakerChangesTable } from './live-tables.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from './pages.ts';
import type { Reader, Writer } from './ports.ts';

export type BreakerChangeRow = Selectable<BreakerChangesTable>;

/** Keeps a breaker's change of state, and tells whoever watches the org. */
export async function insertBreakerChange(writer: Writer, row: BreakerChangeRow): Promise<void> {
  await writer.insertInto('breaker_changes').values(row).execute();
  const { org_id, breaker_id, at, state, because } = row;
  await tellLive(writer, {
    orgId: org_id,
    topic: 'breakers',
    at,
    data: { breaker: breaker_id, state, because },
  });
}

export interface BreakerChangeQuery extends PageRequest {
  /** Of this breaker alone. */
  readonly breakerId?: string | undefined;
  /** Milliseconds, included. */
  readonly from?: number | undefined;
  /** Milliseconds, not included. */
  readonly to?: number | undefined;
}

/** Changes of an org's breakers, newest first. */
export async function breakerChangePage(
  reader: Reader,
  { orgId, breakerId, from, to, cursor, limit }: BreakerChangeQuery,
): Promise<Page<BreakerChangeRow>> {
  let query = reader.selectFrom('breaker_changes').selectAll().where('org_id', '=', orgId);
  if (breakerId !== undefined) query = query.where('breaker_id', '=', breakerId);
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  if (cursor !== undefined) {
    const { at, id } = decodeCursor(cursor);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(at, id)));
  }
  const rows = await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit, (row) => ({ at: row.at, id: row.id }));
}
