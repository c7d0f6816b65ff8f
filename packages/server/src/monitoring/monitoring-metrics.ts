import { CounterFamily } from '../analytics/metric-families.ts';
import {
  countMonitorsByOrgAndStatus,
  listMonitorStatuses,
  type MonitorCount,
  type MonitorStatusRow,
} from '../store/monitoring/monitor-metrics.ts';
import type { Database, DatabaseReader } from '../store/store-interfaces.ts';
import type { SweepResult } from './sweep.ts';

/** The monitoring counters for `/metrics`. */
export interface MonitoringCounters {
  /** Counts a committed beat by its kind, or a rejected one. */
  countBeat(kind: string): void;
  countSweep(swept: SweepResult): void;
  render(): string;
}

export function createMonitoringCounters(): MonitoringCounters {
  const beats = new CounterFamily({
    name: 'floe_beats_total',
    help: 'Number of beats received, by kind (ok, fail, start or log, or rejected if Floe did not record the beat).',
    labels: ['kind'],
  });
  const missed = new CounterFamily({
    name: 'floe_monitor_evaluations_total',
    help: 'Number of evaluations of overdue monitors, by result (missed if an expected beat did not arrive, otherwise unchanged).',
    labels: ['result'],
  });
  return {
    countBeat: (kind) => beats.add(1, kind),
    countSweep({ evaluated, missed: found }) {
      if (found > 0) missed.add(found, 'missed');
      if (evaluated > found) missed.add(evaluated - found, 'unchanged');
    },
    render: () => `${beats.render()}${missed.render()}`,
  };
}

/**
 * Maximum number of monitors that have their own metric. If there are more, only the number of monitors by
 * status is exported.
 */
const MAX_MONITOR_SERIES = 1_000;

/**
 * Returns the metrics text with this process's counters and the number of monitors by status. If
 * the database is unavailable, the text contains only the counters.
 */
export async function renderMonitoringMetrics(
  database: Pick<Database, 'read'>,
  figures: MonitoringCounters,
): Promise<string> {
  const { counts, states } = await readMonitors(database.read).catch(() => ({ counts: [], states: [] }));
  const byStatus = [...Map.groupBy(counts, ({ status }) => status)].map(
    ([status, ofStatus]) => `floe_monitors{status="${status}"} ${sumCounts(ofStatus)}\n`,
  );
  // Ids of organizations and monitors are slugs and need no escaping.
  const each = states.map(({ org_id, id, status }) => {
    const labels = `org="${org_id}",monitor="${id}"`;
    return `floe_monitor_up{${labels}} ${status === 'healthy' ? 1 : 0}\n`;
  });
  return [
    figures.render(),
    formatGauge(
      'floe_monitors',
      'Number of monitors, by status (waiting, healthy, failing or paused).',
      byStatus,
    ),
    formatGauge(
      'floe_monitor_up',
      `Whether a monitor is healthy (1) or failing (0), for at most ${MAX_MONITOR_SERIES} monitors that are neither waiting nor paused.`,
      each,
    ),
  ].join('');
}

async function readMonitors(
  reader: DatabaseReader,
): Promise<{ readonly counts: readonly MonitorCount[]; readonly states: readonly MonitorStatusRow[] }> {
  const counts = await countMonitorsByOrgAndStatus(reader);
  const shown = counts.filter(({ status }) => status === 'healthy' || status === 'failing');
  const byOrg = [...Map.groupBy(shown, ({ orgId }) => orgId)].map(
    ([orgId, ofOrg]) => [orgId, sumCounts(ofOrg)] as const,
  );
  return { counts, states: await listMonitorStatuses(reader, divideFairly(byOrg, MAX_MONITOR_SERIES)) };
}

function sumCounts(counts: readonly MonitorCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Divides `total` equally among organizations. What an organization does not need is divided among the others. */
function divideFairly(needs: readonly (readonly [string, number])[], total: number): Map<string, number> {
  const shares = new Map<string, number>();
  let left = total;
  let orgsLeft = needs.length;
  const smallestFirst = needs.toSorted(
    ([orgId, need], [otherId, other]) => need - other || (orgId < otherId ? -1 : 1),
  );
  for (const [orgId, need] of smallestFirst) {
    const share = Math.min(need, Math.ceil(left / orgsLeft));
    if (share === 0) break;
    shares.set(orgId, share);
    left -= share;
    orgsLeft -= 1;
  }
  return shares;
}

function formatGauge(name: string, help: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}
