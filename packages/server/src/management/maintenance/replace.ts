import {
  maintenanceCreation,
  maintenanceReplacement,
  maintenanceWindow,
} from '@floe/contract/api/maintenance';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { windowById } from '../../store/monitoring/maintenance.ts';
import { validate } from '../input.ts';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { addWindow, replaceWindow } from './write.ts';

/** Takes what `GET` returned. Settings that are absent return to their default. */
export function putWindow(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'maintenance.replace',
    method: 'PUT',
    path: '/api/monitoring/maintenance/{id}',
    scope: MONITORING_SCOPES,
    summary: 'Create or replace a maintenance window by its id',
    params: idParams,
    body: maintenanceReplacement,
    answer: maintenanceWindow,
    status: 200,
    changes: null,
    async run(context, { params, body }) {
      const { id } = validate(maintenanceCreation.pick({ id: true }), { id: params.id });
      if (body.id !== undefined && body.id !== id)
        throw new Fault('invalid_request', 'id: is not the one of the path', { param: 'id' });
      const row = await windowById(context.writer, context.orgId, params.id);
      return row ? replaceWindow(context, row, body, host) : addWindow(context, params.id, body, host);
    },
  });
}
