import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { boardShown } from '../../monitoring/boards/file-boards.ts';
import { deleteBoard as deleteStored } from '../../store/monitoring/boards.ts';
import { MONITORING_SCOPES } from '../monitors/monitoring-host.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { changeableBoard } from './find.ts';

export const deleteBoard: Verb = writeVerb({
  name: 'boards.delete',
  method: 'DELETE',
  path: '/api/monitoring/boards/{id}',
  scope: MONITORING_SCOPES,
  summary: 'Remove a board; its monitors stay',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: null,
  async run({ orgId, writer }, { params }) {
    const row = await changeableBoard(writer, orgId, params.id);
    await deleteStored(writer, row.id);
    return { answer: null, audit: { subject: row.slug, before: boardShown(row), after: null } };
  },
});
