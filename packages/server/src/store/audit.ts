import { decodeCursor, type Page, type PageRequest, toPage } from './pages.ts';
import type { Reader, Writer } from './ports.ts';
import type { AuditTable } from './schema.ts';

export type AuditRow = AuditTable;

/** Belongs in the transaction of the change it records. */
export async function appendAudit(writer: Writer, entry: AuditRow): Promise<void> {
  await writer.insertInto('audit').values(entry).execute();
}

/** An org's audit trail, newest first. */
export async function auditPage(reader: Reader, request: PageRequest): Promise<Page<AuditRow>> {
  let query = reader.selectFrom('audit').selectAll().where('org_id', '=', request.orgId);
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
