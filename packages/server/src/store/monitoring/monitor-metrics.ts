import { sql } from 'kysely';
import type { DatabaseReader } from '../store-interfaces.ts';

/** The number of an organization's monitors with one status. */
export interface MonitorCount {
  readonly orgId: string;
  readonly status: string;
  readonly count: number;
}

/**
 * Returns the number of monitors of all organizations by status. Reads only indexes: all entries of the index by id, and
 * those of monitors that are not healthy. An index that includes healthy monitors would require a write for each beat.
 */
export async function countMonitorsByOrgAndStatus(reader: DatabaseReader): Promise<MonitorCount[]> {
  const { rows } = await sql<{ org_id: string; status: string | null; count: number }>`
    select org_id, null as status, count(*) as count from monitor_clocks group by org_id
    union all
    select org_id, status, count(*) as count from monitor_clocks where status <> 'healthy' group by org_id, status`.execute(
    reader,
  );
  const counts = rows.map(({ org_id, status, count }) => ({ orgId: org_id, status, count: Number(count) }));
  return [...Map.groupBy(counts, ({ orgId }) => orgId)].flatMap(([orgId, ofOrg]) => {
    const others = ofOrg.flatMap(({ status, count }) => (status === null ? [] : [{ orgId, status, count }]));
    const total = ofOrg.find(({ status }) => status === null)?.count ?? 0;
    const healthy = total - others.reduce((sum, { count }) => sum + count, 0);
    return healthy === 0 ? others : [...others, { orgId, status: 'healthy', count: healthy }];
  });
}

/** A healthy or failing monitor. */
export interface MonitorStatusRow {
  readonly org_id: string;
  readonly id: string;
  readonly status: string;
}

/** SQLite allows 500 selects in one statement. */
const ORGS_PER_STATEMENT = 100;

/**
 * Returns the healthy and failing monitors of each organization in `limits`, ordered by id.
 * @param limits the maximum number of monitors to return, by organization id
 */
export async function listMonitorStatuses(
  reader: DatabaseReader,
  limits: ReadonlyMap<string, number>,
): Promise<MonitorStatusRow[]> {
  const found: MonitorStatusRow[] = [];
  const ofOrgs = [...limits].map(
    ([orgId, limit]) => sql`select * from (
      select org_id, id, status from monitor_clocks
      where org_id = ${orgId} and status in ('healthy', 'failing') order by id limit ${limit}) as of_org`,
  );
  for (let at = 0; at < ofOrgs.length; at += ORGS_PER_STATEMENT) {
    const statement = sql.join(ofOrgs.slice(at, at + ORGS_PER_STATEMENT), sql` union all `);
    found.push(...(await sql<MonitorStatusRow>`${statement}`.execute(reader)).rows);
  }
  return found;
}
