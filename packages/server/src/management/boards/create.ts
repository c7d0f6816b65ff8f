import { board, boardCreation } from '@floe/contract/api/boards';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { boardDraft } from './draft.ts';
import { addBoard } from './write.ts';

export function createBoard(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'boards.create',
    method: 'POST',
    path: '/api/monitoring/boards',
    scope: MONITORING_SCOPES,
    summary: 'Create a board; private unless it says public',
    body: boardCreation,
    answer: board,
    status: 201,
    changes: null,
    run: async (context, { body }) =>
      addBoard(context, await boardDraft(context.writer, context.orgId, body, {}), host),
  });
}
