import { boardStatus } from '@floe/contract/api/boards';
import { idParams } from '@floe/contract/api/page';
import { boardJson } from '../../monitoring/boards/board-json.ts';
import { readBoard } from '../../monitoring/boards/status.ts';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { boards } from '../resources/boards.ts';
import { existing } from '../resources/resource-verbs.ts';
import { readVerb, type Verb } from '../verb.ts';

export function getBoardStatus(host: MonitoringHost): Verb {
  const kind = boards(host);
  return readVerb({
    name: 'boards.status',
    method: 'GET',
    path: '/api/monitoring/boards/{id}/status',
    scope: MONITORING_SCOPES,
    summary: 'What a board says now, public or not',
    params: idParams,
    answer: boardStatus,
    async run(context, { params }) {
      const { orgId, reader } = context;
      const row = await existing(kind, context, params.id);
      return boardJson(await readBoard(reader, row, host.timezone(orgId), host.engine.sight()));
    },
  });
}
