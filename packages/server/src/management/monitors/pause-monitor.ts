import { monitorPauseInput, monitorResource } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { pauseMonitor as pauseStored, requireMonitor } from '../../monitoring/monitors.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';
import { parseFutureTimestamp } from '../parse-future-timestamp.ts';
import { loadMonitorResource } from './monitor-requirements.ts';
import { toMonitorAuditView } from './monitor-resource.ts';
import {
  createMonitorChangeContext,
  MONITORING_SCOPES,
  type MonitoringDependencies,
} from './monitoring-dependencies.ts';

/**
 * Defines the operation that pauses a monitor. It also works for monitors that floe.yaml defines,
 * because a pause is not configuration.
 */
export function definePauseMonitorOperation(dependencies: MonitoringDependencies): Operation {
  return defineWriteOperation({
    name: 'monitors.pause',
    method: 'POST',
    path: '/api/monitoring/monitors/{id}/pause',
    scope: MONITORING_SCOPES,
    summary: 'Pause a monitor; Floe still records beats, but does not record missed beats',
    params: idParams,
    body: monitorPauseInput,
    answer: monitorResource,
    status: 200,
    invalidates: null,
    beforeTransaction: () => dependencies.engine.changeContext(),
    async run(context, { params, body }) {
      const row = await requireMonitor(context.writer, context.orgId, params.id);
      const change = createMonitorChangeContext(context, dependencies);
      const until = parseFutureTimestamp('until', body?.until, change.nowMs);
      if (row.paused === 1 && row.paused_until === until)
        return { answer: await loadMonitorResource(context, row.id, dependencies), audit: 'unchanged' };
      const next = await pauseStored(change, row, until);
      const audit = { subject: row.id, before: toMonitorAuditView(row), after: toMonitorAuditView(next) };
      return { answer: await loadMonitorResource(context, row.id, dependencies), audit };
    },
  });
}
