import { monitor, monitorQuery } from '@floe/contract/api/monitors';
import { page } from '@floe/contract/api/page';
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
    summary: 'List monitors, newest first; by tag, status, or a part of id or name',
    query: monitorQuery,
    answer: page(monitor),
    async run({ orgId, actor, reader }, { query }) {
      const { rows, nextCursor } = await listStored(reader, { orgId, ...query }, host.engine.sight());
      const views = rows.filter(({ clock }) => query.status === undefined || clock.status === query.status);
      return { data: views.map((view) => monitorAnswer(view, actor, host)), next_cursor: nextCursor };
    },
  });
}
