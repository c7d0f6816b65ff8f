import { getTimeRangePage, type PageRequest, type RowPage, type TimeRangeRequest } from '../pagination.ts';
import type { DatabaseReader } from '../ports.ts';
import type { RelayReportsTable } from './relay-tables.ts';

export interface RelayReportFilters {
  readonly session?: string | undefined;
  readonly type?: string | undefined;
}

/** Returns a page of the reports that an organization's agents sent, newest first. */
export function getRelayReportPage(
  reader: DatabaseReader,
  request: PageRequest & TimeRangeRequest & RelayReportFilters,
): Promise<RowPage<RelayReportsTable>> {
  const { orgId, session, type } = request;
  let query = reader.selectFrom('relay_reports').selectAll().where('org_id', '=', orgId);
  if (session !== undefined) query = query.where('session_id', '=', session);
  if (type !== undefined) query = query.where('type', '=', type);
  return getTimeRangePage(query, 'created_at', request);
}
