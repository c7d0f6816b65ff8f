import { maintenanceCreation, maintenanceWindow } from '@floe/contract/api/maintenance';
import { Fault } from '@floe/contract/faults';
import { newId } from '../../core/ids.ts';
import { windowById } from '../../store/monitoring/maintenance.ts';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { addWindow } from './write.ts';

export function createWindow(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'maintenance.create',
    method: 'POST',
    path: '/api/monitoring/maintenance',
    scope: MONITORING_SCOPES,
    summary: 'Plan maintenance: messages are held back, states are recorded as ever',
    body: maintenanceCreation,
    answer: maintenanceWindow,
    status: 201,
    changes: null,
    async run(context, { body }) {
      const { id = newId('mnt', context.clock.now()), ...fields } = body;
      if (await windowById(context.writer, context.orgId, id))
        throw new Fault('conflict', `A maintenance window "${id}" exists already.`, { param: 'id' });
      return addWindow(context, id, fields, host);
    },
  });
}
