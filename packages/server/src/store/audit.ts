import { tellLive } from './live-events.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from './pages.ts';
import type { Reader, Writer } from './ports.ts';
import type { AuditTable } from './schema.ts';

export type AuditRow = AuditTable;

/** Belongs in the transaction of the change it records; whoever watches the org hears of it. */
export async function appendAudit(writer: Writer, entry: AuditRow): Promise<void> {
  await writer.insertInto('audit').values(entry).execute();
  const { id, org_id, at, actor, action, subject } = entry;
  await tellLive(writer, { orgId: org_id, topic: 'audit', at, data: { id, at, actor, action, subject } });
}

export interface AuditFilters {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  /** Milliseconds, included. */
  readonly from?: number | undefined;
  /** Milliseconds, not included. */
  readonly to?: number | undefined;
}

/** An org's audit entries that pass every filter, newest first. */
export async function auditPage(
  reader: Reader,
  request: PageRequest & AuditFilters,
): Promise<Page<AuditRow>> {
  let query = reader.selectFrom('audit').selectAll().where('org_id', '=', request.orgId);
  for (const column of ['actor', 'action', 'subject'] as const) {
    const value = request[column];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (request.from !== undefined) query = query.where('at', '>=', request.from);
  if (request.to !== undefined) query = query.where('at', '<', request.to);
  if (request.cursor !== undefined) {
    const { at, id } = decodeCursor(request.cursor);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(at, id)));
  }
  const rows = await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
  return toPage(rows, request.limit, (row) => ({ at: row.at, id: row.id }));
}
