import { sql } from 'kysely';
import type { PageRequest, RowPage, TimeRangeRequest } from '../pagination.ts';
import type { DatabaseReader } from '../store-interfaces.ts';
import { getScannedPage } from '../time-scan.ts';
import type { RelayReportsTable } from './relay-tables.ts';

export interface RelayReportFilters {
  readonly session?: string | undefined;
  readonly type?: string | undefined;
  readonly keyId?: string | undefined;
}

/**
 * Returns a page of the reports that an organization's agents sent, newest first. Each page checks the type
 * and the key of a limited number of reports. The page can therefore contain fewer reports than requested, or
 * none, and still have a cursor.
 */
export function getRelayReportPage(
  reader: DatabaseReader,
  request: PageRequest & TimeRangeRequest & RelayReportFilters,
  maxScannedRows?: number,
): Promise<RowPage<RelayReportsTable>> {
  const { session, type, keyId } = request;
  const residualConditions = [];
  if (type !== undefined) residualConditions.push(sql<boolean>`type = ${type}`);
  if (keyId !== undefined) residualConditions.push(sql<boolean>`key_id = ${keyId}`);
  return getScannedPage<RelayReportsTable>(reader, {
    ...request,
    table: { name: 'relay_reports', at: 'created_at' },
    indexScans: [session === undefined ? sql`true` : sql`session_id = ${session}`],
    residualConditions,
    maxScannedRows,
  });
}
