import type { DatabaseReader } from '../store-interfaces.ts';

/**
 * Returns the number of an organization's monitors by status. Uses the last status that was
 * written.
 */
export async function countOrgMonitorsByStatus(
  reader: DatabaseReader,
  orgId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom('monitor_clocks')
    .select(['status', ({ fn }) => fn.countAll<number>().as('count')])
    .where('org_id', '=', orgId)
    .groupBy('status')
    .execute();
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}

/** A failing monitor, as the overview lists it. */
export interface FailingMonitor {
  readonly id: string;
  readonly name: string;
  readonly failing_since: number | null;
  readonly last_beat_at: number | null;
}

/**
 * Returns an organization's failing monitors. The monitor that has been failing longest is first.
 */
export function listFailingMonitors(
  reader: DatabaseReader,
  orgId: string,
  limit: number,
): Promise<FailingMonitor[]> {
  return reader
    .selectFrom('monitor_clocks as state')
    .innerJoin('monitors as monitor', 'monitor.uid', 'state.uid')
    .select(['monitor.id', 'monitor.name', 'state.failing_since', 'state.last_beat_at'])
    .where('state.org_id', '=', orgId)
    .where('state.status', '=', 'failing')
    .where('monitor.disabled_at', 'is', null)
    .orderBy('state.failing_since')
    .limit(limit)
    .execute();
}
