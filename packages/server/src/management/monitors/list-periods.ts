import { monitorPeriodListQuery, monitorPeriodResource } from '@floe/contract/api/monitor-history';
import { createPageSchema, idParams } from '@floe/contract/api/page';
import { readMonitorStatusSpanPage, requireMonitorView } from '../../monitoring/read-monitors.ts';
import { decodeTimeCursor, encodeTimeCursor } from '../../store/pagination.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { resolveHistoryRange } from './history-range.ts';
import {
  MONITORING_SCOPES,
  type MonitoringDependencies,
  toIsoTimestampOrNull,
} from './monitoring-dependencies.ts';

/**
 * Defines the operation that lists the periods in which a monitor had the same status (`GET
 * /api/monitoring/monitors/{id}/periods`).
 */
export function defineListPeriodsOperation(dependencies: MonitoringDependencies): Operation {
  return defineReadOperation({
    name: 'monitors.periods',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}/periods',
    scope: MONITORING_SCOPES,
    summary: 'List the status periods of a monitor, newest first; defaults to the last 30 days',
    params: idParams,
    query: monitorPeriodListQuery,
    answer: createPageSchema(monitorPeriodResource),
    async run({ orgId, reader }, { params, query }) {
      const evaluation = dependencies.engine.evaluationContext();
      const view = await requireMonitorView(reader, orgId, params.id, evaluation);
      const range = resolveHistoryRange(query, evaluation.nowMs);
      const before = query.cursor === undefined ? range.toMs : decodeTimeCursor(query.cursor).at;
      const page = { ...range, toMs: Math.min(range.toMs, before), limit: query.limit };
      const { spans, nextToMs } = await readMonitorStatusSpanPage(reader, view, page, evaluation);
      return {
        data: spans.map(({ status, startedAt, endedAt, reason }) => ({
          status,
          started_at: new Date(startedAt).toISOString(),
          ended_at: toIsoTimestampOrNull(endedAt),
          reason,
        })),
        next_cursor: nextToMs === null ? null : encodeTimeCursor({ at: nextToMs, id: 'period' }),
      };
    },
  });
}
