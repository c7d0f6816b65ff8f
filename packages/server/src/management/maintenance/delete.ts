import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { deleteWindow as deleteStored } from '../../store/monitoring/maintenance.ts';
import { MONITORING_SCOPES } from '../monitors/monitoring-host.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { existingWindow } from './find.ts';
import { windowShown } from './view.ts';

export const deleteWindow: Verb = writeVerb({
  name: 'maintenance.delete',
  method: 'DELETE',
  path: '/api/monitoring/maintenance/{id}',
  scope: MONITORING_SCOPES,
  summary: 'Remove a maintenance window; one under way is over',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: null,
  async run({ orgId, writer }, { params }) {
    const row = await existingWindow(writer, orgId, params.id);
    await deleteStored(writer, orgId, row.id);
    return { answer: null, audit: { subject: row.id, before: windowShown(row), after: null } };
  },
});
