import { maintenanceChange, maintenanceWindow } from '@floe/contract/api/maintenance';
import { idParams } from '@floe/contract/api/page';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { existingWindow } from './find.ts';
import { settingsOf } from './view.ts';
import { replaceWindow } from './write.ts';

export function updateWindow(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'maintenance.update',
    method: 'PATCH',
    path: '/api/monitoring/maintenance/{id}',
    scope: MONITORING_SCOPES,
    summary: 'Change a maintenance window; an `ends_at` that has passed ends it',
    params: idParams,
    body: maintenanceChange,
    answer: maintenanceWindow,
    status: 200,
    changes: null,
    async run(context, { params, body }) {
      const row = await existingWindow(context.writer, context.orgId, params.id);
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      return replaceWindow(context, row, { ...settingsOf(row), ...given }, host);
    },
  });
}
