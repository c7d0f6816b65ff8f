import { getResourceListPage, type ListRequest, RESOURCE_LIST_COLUMNS, type RowPage } from '../pagination.ts';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import type { MaintenanceWindowsTable } from './monitoring-tables.ts';

export type MaintenanceWindowRow = MaintenanceWindowsTable;

export function findMaintenanceWindowById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<MaintenanceWindowRow | undefined> {
  return reader
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns a page of an organization's maintenance windows in the requested order. */
export function getMaintenanceWindowPage(
  reader: DatabaseReader,
  request: ListRequest,
): Promise<RowPage<MaintenanceWindowRow>> {
  const rows = reader.selectFrom('maintenance_windows').selectAll().where('org_id', '=', request.orgId);
  return getResourceListPage(reader, rows, RESOURCE_LIST_COLUMNS, request);
}

/**
 * Returns the maintenance windows of the given organizations that are in progress or will occur after
 * `nowMs`.
 */
export function listUnfinishedMaintenanceWindows(
  reader: DatabaseReader,
  orgIds: readonly string[],
  nowMs: number,
): Promise<MaintenanceWindowRow[]> {
  return reader
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('org_id', 'in', [...orgIds])
    .where(({ eb, or }) => or([eb('ends_at', 'is', null), eb('ends_at', '>', nowMs)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/**
 * Inserts a maintenance window.
 * @throws Fault `conflict` if the organization already has a maintenance window with this id
 */
export async function insertMaintenanceWindow(
  writer: DatabaseWriter,
  row: MaintenanceWindowRow,
): Promise<void> {
  await writer.insertInto('maintenance_windows').values(row).execute();
}

export async function updateMaintenanceWindow(
  writer: DatabaseWriter,
  row: MaintenanceWindowRow,
): Promise<void> {
  const { org_id: orgId, id, created_at: _, ...change } = row;
  await writer
    .updateTable('maintenance_windows')
    .set(change)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function deleteMaintenanceWindow(
  writer: DatabaseWriter,
  orgId: string,
  id: string,
): Promise<void> {
  await writer.deleteFrom('maintenance_windows').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/**
 * Returns the monitors of the given organizations that are muted at `nowMs`, and until when they are muted.
 */
export async function listMutedMonitors(
  reader: DatabaseReader,
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
