import { checkListQuery, checkResource } from '@floe/contract/api/monitor-history';
import { createPageSchema, idParams } from '@floe/contract/api/page';
import { readMonitorCheckPage, requireMonitorView } from '../../monitoring/read-monitors.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';
import { toCheckResource } from './monitor-resource.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from './monitoring-dependencies.ts';

/** Defines the operation that lists a monitor's checks (`GET /api/monitoring/monitors/{id}/checks`). */
export function defineListChecksOperation(dependencies: MonitoringDependencies): Operation {
  return defineReadOperation({
    name: 'monitors.checks',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}/checks',
    scope: MONITORING_SCOPES,
    summary:
      'List the checks of a monitor (received beats and expected beats that did not arrive), newest first',
    params: idParams,
    query: checkListQuery,
    answer: createPageSchema(checkResource),
    async run({ orgId, reader }, { params, query }) {
      const { row } = await requireMonitorView(
        reader,
        orgId,
        params.id,
        dependencies.engine.evaluationContext(),
      );
      const asked = { ...query, ...parseTimeRange(query), uid: row.uid };
      const { rows, nextCursor } = await readMonitorCheckPage(reader, asked);
      return { data: rows.map(toCheckResource), next_cursor: nextCursor };
    },
  });
}
