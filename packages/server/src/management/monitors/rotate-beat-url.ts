import { monitorResource } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { requireMonitor, rotateBeatUrl } from '../../monitoring/monitors.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';
import { loadMonitorResource } from './monitor-requirements.ts';
import { toMonitorAuditView } from './monitor-resource.ts';
import {
  createMonitorChangeContext,
  MONITORING_SCOPES,
  type MonitoringDependencies,
} from './monitoring-dependencies.ts';

/**
 * Defines the operation that replaces a beat URL. It also works for monitors that floe.yaml
 * defines, because the file does not contain the URL and it must be possible to replace a leaked
 * URL.
 */
export function defineRotateBeatUrlOperation(dependencies: MonitoringDependencies): Operation {
  return defineWriteOperation({
    name: 'monitors.rotate',
    method: 'POST',
    path: '/api/monitoring/monitors/{id}/rotate',
    scope: MONITORING_SCOPES,
    summary: 'Rotate the beat URL of a monitor; the old URL stops working immediately',
    params: idParams,
    answer: monitorResource,
    status: 200,
    invalidates: null,
    beforeTransaction: () => dependencies.engine.changeContext(),
    async run(context, { params }) {
      const row = await requireMonitor(context.writer, context.orgId, params.id);
      const next = await rotateBeatUrl(createMonitorChangeContext(context, dependencies), row);
      const audit = { subject: row.id, before: toMonitorAuditView(row), after: toMonitorAuditView(next) };
      return { answer: await loadMonitorResource(context, row.id, dependencies), audit };
    },
  });
}
