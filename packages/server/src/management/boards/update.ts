import { board, boardChange } from '@floe/contract/api/boards';
import { idParams } from '@floe/contract/api/page';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { boardDraft } from './draft.ts';
import { changeableBoard } from './find.ts';
import { boardAnswer } from './view.ts';
import { replaceBoard } from './write.ts';

export function updateBoard(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'boards.update',
    method: 'PATCH',
    path: '/api/monitoring/boards/{id}',
    scope: MONITORING_SCOPES,
    summary: 'Change a board',
    params: idParams,
    body: boardChange,
    answer: board,
    status: 200,
    changes: null,
    async run(context, { params, body }) {
      const { writer, orgId } = context;
      const row = await changeableBoard(writer, orgId, params.id);
      const current = boardAnswer(row, host);
      const config = await boardDraft(writer, orgId, body, current, current.groups);
      return replaceBoard(context, row, config, host);
    },
  });
}
