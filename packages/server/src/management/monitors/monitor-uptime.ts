import { monitorHistoryRangeQuery, uptimeReport } from '@floe/contract/api/monitor-history';
import { idParams } from '@floe/contract/api/page';
import { readMonitorUptime, requireMonitorView } from '../../monitoring/read-monitors.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { resolveHistoryRange } from './history-range.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from './monitoring-dependencies.ts';

/**
 * Defines the operation that returns a monitor's uptime and downtime (`GET
 * /api/monitoring/monitors/{id}/uptime`).
 */
export function defineGetUptimeOperation(dependencies: MonitoringDependencies): Operation {
  return defineReadOperation({
    name: 'monitors.uptime',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}/uptime',
    scope: MONITORING_SCOPES,
    summary: 'Read the uptime and downtime of a monitor in a time range; defaults to the last 30 days',
    params: idParams,
    query: monitorHistoryRangeQuery,
    answer: uptimeReport,
    async run({ orgId, reader }, { params, query }) {
      const evaluation = dependencies.engine.evaluationContext();
      const view = await requireMonitorView(reader, orgId, params.id, evaluation);
      const range = resolveHistoryRange(query, evaluation.nowMs);
      const found = await readMonitorUptime(reader, view, range, evaluation);
      return {
        from: new Date(found.fromMs).toISOString(),
        to: new Date(range.toMs).toISOString(),
        uptime_ratio: found.uptimeRatio,
        healthy_seconds: found.healthyMs / 1000,
        downtime_seconds: found.downtimeMs / 1000,
        unknown_seconds: found.unknownMs / 1000,
        incidents: found.incidents,
      };
    },
  });
}
