import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { closeAlerts, lastingAlerts } from '../../store/alerts.ts';
import { deleteMonitor as deleteStored } from '../../store/monitoring/definitions.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { changeableMonitor } from './find.ts';
import { MONITORING_SCOPES } from './monitoring-host.ts';
import { monitorShown } from './view.ts';

export const deleteMonitor: Verb = writeVerb({
  name: 'monitors.delete',
  method: 'DELETE',
  path: '/api/monitoring/monitors/{id}',
  scope: MONITORING_SCOPES,
  summary: 'Remove a monitor and its history; its beats are refused from now on',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: null,
  async run({ orgId, clock, writer }, { params }) {
    const row = await changeableMonitor(writer, orgId, params.id);
    await deleteStored(writer, row.uid);
    // Nobody will ever say that it is over: it must not be repeated for ever.
    const lasting = (await lastingAlerts(writer, orgId, [row.id])).filter(
      ({ subject_kind }) => subject_kind === 'monitor',
    );
    await closeAlerts(
      writer,
      lasting.map(({ seq }) => seq),
      clock.now(),
    );
    return { answer: null, audit: { subject: row.id, before: monitorShown(row), after: null } };
  },
});
