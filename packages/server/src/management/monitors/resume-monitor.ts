import { monitorResource } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { requireMonitor, resumeMonitor as resumeStored } from '../../monitoring/monitors.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';
import { loadMonitorResource } from './monitor-requirements.ts';
import { toMonitorAuditView } from './monitor-resource.ts';
import {
  createMonitorChangeContext,
  MONITORING_SCOPES,
  type MonitoringDependencies,
} from './monitoring-dependencies.ts';

/**
 * Defines the operation that resumes a monitor. It also works for monitors that floe.yaml defines,
 * because a pause is not configuration.
 */
export function defineResumeMonitorOperation(dependencies: MonitoringDependencies): Operation {
  return defineWriteOperation({
    name: 'monitors.resume',
    method: 'POST',
    path: '/api/monitoring/monitors/{id}/resume',
    scope: MONITORING_SCOPES,
    summary:
      'Resume a paused monitor; the time of the next expected beat is calculated from the time of the request',
    params: idParams,
    answer: monitorResource,
    status: 200,
    invalidates: null,
    beforeTransaction: () => dependencies.engine.changeContext(),
    async run(context, { params }) {
      const row = await requireMonitor(context.writer, context.orgId, params.id);
      const next = await resumeStored(createMonitorChangeContext(context, dependencies), row);
      const audit = { subject: row.id, before: toMonitorAuditView(row), after: toMonitorAuditView(next) };
      return { answer: await loadMonitorResource(context, row.id, dependencies), audit };
    },
  });
}
