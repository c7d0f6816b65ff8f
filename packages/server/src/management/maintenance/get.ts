import { maintenanceWindow } from '@floe/contract/api/maintenance';
import { idParams } from '@floe/contract/api/page';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { readVerb, type Verb } from '../verb.ts';
import { existingWindow } from './find.ts';
import { windowAnswer } from './view.ts';

export function getWindow(host: MonitoringHost): Verb {
  return readVerb({
    name: 'maintenance.get',
    method: 'GET',
    path: '/api/monitoring/maintenance/{id}',
    scope: MONITORING_SCOPES,
    summary: 'Read one maintenance window, and when it is next',
    live: ['active_until', 'next'],
    params: idParams,
    answer: maintenanceWindow,
    run: async ({ orgId, reader }, { params }) =>
      windowAnswer(await existingWindow(reader, orgId, params.id), host.engine.sight().nowMs),
  });
}
