import { board } from '@floe/contract/api/boards';
import { page, pageQuery } from '@floe/contract/api/page';
import { boardPage } from '../../store/monitoring/boards.ts';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { readVerb, type Verb } from '../verb.ts';
import { boardAnswer } from './view.ts';

export function listBoards(host: MonitoringHost): Verb {
  return readVerb({
    name: 'boards.list',
    method: 'GET',
    path: '/api/monitoring/boards',
    scope: MONITORING_SCOPES,
    summary: 'List boards, newest first',
    query: pageQuery,
    answer: page(board),
    async run({ orgId, reader }, { query }) {
      const { rows, nextCursor } = await boardPage(reader, { orgId, ...query });
      return { data: rows.map((row) => boardAnswer(row, host)), next_cursor: nextCursor };
    },
  });
}
