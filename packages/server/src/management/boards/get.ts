import { board } from '@floe/contract/api/boards';
import { idParams } from '@floe/contract/api/page';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { readVerb, type Verb } from '../verb.ts';
import { existingBoard } from './find.ts';
import { boardAnswer } from './view.ts';

export function getBoard(host: MonitoringHost): Verb {
  return readVerb({
    name: 'boards.get',
    method: 'GET',
    path: '/api/monitoring/boards/{id}',
    scope: MONITORING_SCOPES,
    summary: 'Read one board, by id or slug',
    params: idParams,
    answer: board,
    run: async ({ orgId, reader }, { params }) =>
      boardAnswer(await existingBoard(reader, orgId, params.id), host),
  });
}
