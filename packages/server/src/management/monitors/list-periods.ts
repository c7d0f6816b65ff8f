import { period, periodQuery } from '@floe/contract/api/monitors';
import { idParams, page } from '@floe/contract/api/page';
import { readMonitor, readPeriods } from '../../monitoring/read.ts';
import { decodeCursor, encodeCursor } from '../../store/pages.ts';
import { readVerb, type Verb } from '../verb.ts';
import { isoOrNull, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';
import { rangeOf } from './range-of.ts';

export function listPeriods(host: MonitoringHost): Verb {
  return readVerb({
    name: 'monitors.periods',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}/periods',
    scope: MONITORING_SCOPES,
    summary: 'The timeline of a monitor, newest first; the last 30 days unless told otherwise',
    params: idParams,
    query: periodQuery,
    answer: page(period),
    async run({ orgId, reader }, { params, query }) {
      const sight = host.engine.sight();
      const view = await readMonitor(reader, orgId, params.id, sight);
      const spans = (await readPeriods(reader, view, rangeOf(query, sight.nowMs), sight)).reverse();
      const before = query.cursor === undefined ? Number.POSITIVE_INFINITY : decodeCursor(query.cursor).at;
      const left = spans.filter(({ startedAt }) => startedAt < before);
      const shown = left.slice(0, query.limit);
      const last = left.length > shown.length ? shown.at(-1) : undefined;
      return {
        data: shown.map(({ status, startedAt, endedAt, reason }) => ({
          status,
          started_at: new Date(startedAt).toISOString(),
          ended_at: isoOrNull(endedAt),
          reason,
        })),
        next_cursor: last ? encodeCursor({ at: last.startedAt, id: 'period' }) : null,
      };
    },
  });
}
