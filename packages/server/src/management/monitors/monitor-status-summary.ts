import { monitorStatusSummary, monitorStatusSummaryQuery } from '@floe/contract/api/monitor-history';
import { MAX_BULK_MONITORS } from '@floe/contract/api/monitors';
import { Fault } from '@floe/contract/faults';
import {
  loadRecentMonitorHistory,
  type RecentMonitorHistory,
} from '../../monitoring/recent-monitor-history.ts';
import { countOrgMonitorsByStatus } from '../../store/monitoring/monitor-overview.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from './monitoring-dependencies.ts';

/**
 * Defines the operation that returns the monitor counts and history that the console shows above its
 * monitor list.
 */
export function defineGetMonitorStatusSummaryOperation(dependencies: MonitoringDependencies): Operation {
  return defineReadOperation({
    name: 'monitors.status',
    method: 'GET',
    path: '/api/monitoring/status',
    scope: MONITORING_SCOPES,
    summary:
      'Count the monitors in each status, and read the history of selected monitors for the last 24 hours and their uptime for the last 30 days',
    query: monitorStatusSummaryQuery,
    answer: monitorStatusSummary,
    async run({ orgId, reader }, { query }) {
      const ids = [...new Set(query.monitors.split(',').filter((id) => id !== ''))];
      if (ids.length > MAX_BULK_MONITORS)
        throw new Fault(
          'invalid_request',
          `monitors: must have at most ${MAX_BULK_MONITORS} entries. Send several requests.`,
          {
            param: 'monitors',
          },
        );
      const found = await countOrgMonitorsByStatus(reader, orgId);
      const count = (status: string) => found.get(status) ?? 0;
      const recent = await loadRecentMonitorHistory(
        reader,
        orgId,
        ids,
        dependencies.engine.evaluationContext(),
      );
      return {
        counts: {
          failing: count('failing'),
          waiting: count('waiting'),
          paused: count('paused'),
          healthy: count('healthy'),
        },
        recent: recent.map(toRecentHistory),
      };
    },
  });
}

function toRecentHistory({ id, uptimeRatio, historySince, slices }: RecentMonitorHistory) {
  return {
    id,
    uptime_ratio: uptimeRatio,
    history_since: historySince === null ? null : new Date(historySince).toISOString(),
    intervals: slices.map(({ startedAt, healthy, failing, unknown, paused }) => ({
      started_at: new Date(startedAt).toISOString(),
      healthy_seconds: healthy / 1000,
      failing_seconds: failing / 1000,
      unknown_seconds: unknown / 1000,
      paused_seconds: paused / 1000,
    })),
  };
}
