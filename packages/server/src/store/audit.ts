import { type Page, type PageRequest, pageOf, positionOf } from './page.ts';
import type { Reader, Writer } from './ports.ts';
import type { AuditTable } from './schema.ts';

export type AuditRow = AuditTable;

export async function insertAudit(writer: Writer, row: AuditRow): Promise<void> {
  await writer.insertInto('audit').values(row).execute();
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  /** Milliseconds since the epoch, included. */
  readonly fromMs?: number | undefined;
  /** Milliseconds since the epoch, excluded. */
  readonly toMs?: number | undefined;
}

/** The changes of one org, newest first. */
export async function listAudit(
  reader: Reader,
  orgId: string,
  filter: AuditFilter,
  request: PageRequest,
): Promise<Page<AuditRow>> {
  let query = reader.selectFrom('audit').selectAll().where('org_id', '=', orgId);
  for (const column of ['actor', 'action', 'subject'] as const) {
    const value = filter[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (filter.fromMs !== undefined) query = query.where('at', '>=', filter.fromMs);
  if (filter.toMs !== undefined) query = query.where('at', '<', filter.toMs);
  if (request.cursor !== undefined) {
    const { at, id } = positionOf(request.cursor);
    query = query.where((is) => is(is.refTuple('at', 'id'), '<', is.tuple(at, id)));
  }
  const rows = await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
  return pageOf(rows, request.limit, (row) => row);
}
