import { decodeCursor, type Page, type PageRequest, toPage } from '../pages.ts';
import type { Reader } from '../ports.ts';
import type { RelayReportsTable } from './tables.ts';

export interface ReportFilters {
  readonly session?: string | undefined;
  readonly type?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** What agents of an org told after the fact, newest first. */
export async function reportPage(
  reader: Reader,
  request: PageRequest & ReportFilters,
): Promise<Page<RelayReportsTable>> {
  const { orgId, limit, cursor, session, type, from, to } = request;
  let query = reader.selectFrom('relay_reports').selectAll().where('org_id', '=', orgId);
  if (session !== undefined) query = query.where('session_id', '=', session);
  if (type !== undefined) query = query.where('type', '=', type);
  if (from !== undefined) query = query.where('created_at', '>=', from);
  if (to !== undefined) query = query.where('created_at', '<', to);
  if (cursor !== undefined) {
    const { at, id } = decodeCursor(cursor);
    query = query.where(({ eb, or, and }) =>
      or([eb('created_at', '<', at), and([eb('created_at', '=', at), eb('id', '<', id)])]),
    );
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit, (row) => ({ at: row.created_at, id: row.id }));
}
