import { type Page, type PageRequest, type TimeRequest, timePage } from '../pages.ts';
import type { Reader } from '../ports.ts';
import type { RelayReportsTable } from './tables.ts';

export interface ReportFilters {
  readonly session?: string | undefined;
  readonly type?: string | undefined;
}

/** What agents of an org told after the fact, newest first. */
export function reportPage(
  reader: Reader,
  request: PageRequest & TimeRequest & ReportFilters,
): Promise<Page<RelayReportsTable>> {
  const { orgId, session, type } = request;
  let query = reader.selectFrom('relay_reports').selectAll().where('org_id', '=', orgId);
  if (session !== undefined) query = query.where('session_id', '=', session);
  if (type !== undefined) query = query.where('type', '=', type);
  return timePage(query, 'created_at', request);
}
