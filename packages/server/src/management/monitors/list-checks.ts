import { check, checkQuery } from '@floe/contract/api/monitors';
import { idParams, page } from '@floe/contract/api/page';
import { readChecks, readMonitor } from '../../monitoring/read.ts';
import { range } from '../time-range.ts';
import { readVerb, type Verb } from '../verb.ts';
import { checkAnswer } from './monitor-answer.ts';
import { MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';

export function listChecks(host: MonitoringHost): Verb {
  return readVerb({
    name: 'monitors.checks',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}/checks',
    scope: MONITORING_SCOPES,
    summary: 'List beats and missed beats of a monitor, newest first',
    params: idParams,
    query: checkQuery,
    answer: page(check),
    async run({ orgId, reader }, { params, query }) {
      const { row } = await readMonitor(reader, orgId, params.id, host.engine.sight());
      const asked = { ...query, ...range(query), uid: row.uid };
      const { rows, nextCursor } = await readChecks(reader, asked);
      return { data: rows.map(checkAnswer), next_cursor: nextCursor };
    },
  });
}
