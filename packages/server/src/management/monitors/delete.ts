import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { deleteMonitor as deleteStored } from '../../monitoring/monitors.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { changeableMonitor } from './find.ts';
import { changing, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';
import { monitorShown } from './view.ts';

export function deleteMonitor(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'monitors.delete',
    method: 'DELETE',
    path: '/api/monitoring/monitors/{id}',
    scope: MONITORING_SCOPES,
    summary:
      'Remove a monitor; its beats are refused from now on and its alerts are over, its history stays until retention',
    params: idParams,
    answer: z.null(),
    status: 204,
    changes: null,
    before: () => host.engine.moment(),
    async run(context, { params }) {
      const row = await changeableMonitor(context.writer, context.orgId, params.id);
      await deleteStored(changing(context, host), row);
      return { answer: null, audit: { subject: row.id, before: monitorShown(row), after: null } };
    },
  });
}
