import { MONITORS_AT_ONCE, monitor, monitorQuery } from '@floe/contract/api/monitors';
import { page } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { listMonitors as listStored } from '../../monitoring/read.ts';
import { readVerb, type Verb } from '../verb.ts';
import { MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';
import { monitorAnswer } from './view.ts';

export function listMonitors(host: MonitoringHost): Verb {
  return readVerb({
    name: 'monitors.list',
    method: 'GET',
    path: '/api/monitoring/monitors',
    scope: MONITORING_SCOPES,
    summary: 'List monitors, newest or most urgent first; by tag, status, channel, or a part of id or name',
    query: monitorQuery,
    answer: page(monitor),
    async run({ orgId, actor, reader }, { query }) {
      const asked = { ...query, orgId, ids: idsIn(query.ids) };
      const { rows, nextCursor } = await listStored(reader, asked, host.engine.sight());
      const views = rows.filter(({ clock }) => query.status === undefined || clock.status === query.status);
      return { data: views.map((view) => monitorAnswer(view, actor, host)), next_cursor: nextCursor };
    },
  });
}

/** @throws Fault `invalid_request` for more than are answered at once */
function idsIn(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const ids = [...new Set(text.split(',').filter((id) => id !== ''))];
  if (ids.length <= MONITORS_AT_ONCE) return ids;
  throw new Fault('invalid_request', `ids: at most ${MONITORS_AT_ONCE} at a time`, { param: 'ids' });
}
