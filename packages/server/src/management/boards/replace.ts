import { board, boardReplacement } from '@floe/contract/api/boards';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { groupsOf } from '../../monitoring/boards/board.ts';
import { boardById } from '../../store/monitoring/boards.ts';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { boardDraft } from './draft.ts';
import { mustBeOwn } from './find.ts';
import { addBoard, replaceBoard } from './write.ts';

/** Takes what `GET` returned. Settings that are absent return to their default. */
export function putBoard(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'boards.replace',
    method: 'PUT',
    path: '/api/monitoring/boards/{id}',
    scope: MONITORING_SCOPES,
    summary: 'Create or replace a board by its slug',
    params: idParams,
    body: boardReplacement,
    answer: board,
    status: 200,
    changes: null,
    async run(context, { params, body }) {
      const { writer, orgId } = context;
      const row = await boardById(writer, orgId, params.id);
      if (row) mustBeOwn(row);
      if (!row && body.slug !== undefined && body.slug !== params.id)
        throw new Fault('invalid_request', 'slug: is not the one of the path', { param: 'slug' });
      const fields = { ...body, slug: body.slug ?? row?.slug ?? params.id };
      const config = await boardDraft(writer, orgId, fields, {}, row && groupsOf(row));
      return row ? replaceBoard(context, row, config, host) : addBoard(context, config, host);
    },
  });
}
