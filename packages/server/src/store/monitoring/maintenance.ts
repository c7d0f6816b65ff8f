import { BY_NAME_AND_TIME, type ListRequest, type Page, pageOf } from '../pages.ts';
import type { Reader, Writer } from '../ports.ts';
import type { MaintenanceWindowsTable } from './tables.ts';

export type MaintenanceRow = MaintenanceWindowsTable;

export function windowById(reader: Reader, orgId: string, id: string): Promise<MaintenanceRow | undefined> {
  return reader
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Windows of an org, in the order asked for. */
export function windowPage(reader: Reader, request: ListRequest): Promise<Page<MaintenanceRow>> {
  const rows = reader.selectFrom('maintenance_windows').selectAll().where('org_id', '=', request.orgId);
  return pageOf(reader, rows, BY_NAME_AND_TIME, request);
}

/** Windows of these orgs that are not over for good at `nowMs`. */
export function windowsAhead(
  reader: Reader,
  orgIds: readonly string[],
  nowMs: number,
): Promise<MaintenanceRow[]> {
  return reader
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('org_id', 'in', [...orgIds])
    .where(({ eb, or }) => or([eb('ends_at', 'is', null), eb('ends_at', '>', nowMs)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** @throws Fault `conflict` when the org has a window of this id. */
export async function insertWindow(writer: Writer, row: MaintenanceRow): Promise<void> {
  await writer.insertInto('maintenance_windows').values(row).execute();
}

export async function changeWindow(writer: Writer, row: MaintenanceRow): Promise<void> {
  const { org_id: orgId, id, created_at: _, ...change } = row;
  await writer
    .updateTable('maintenance_windows')
    .set(change)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function deleteWindow(writer: Writer, orgId: string, id: string): Promise<void> {
  await writer.deleteFrom('maintenance_windows').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Monitors of these orgs that are muted at `nowMs`, and until when. */
export async function mutedMonitors(
  reader: Reader,
  orgIds: readonly string[],
  nowMs: number,
): Promise<{ readonly org_id: string; readonly id: string; readonly muted_until: number | null }[]> {
  return reader
    .selectFrom('monitors')
    .select(['org_id', 'id', 'muted_until'])
    .where('org_id', 'in', [...orgIds])
    .where('muted_until', '>', nowMs)
    .execute();
}
