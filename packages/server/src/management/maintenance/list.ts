import { maintenanceWindow } from '@floe/contract/api/maintenance';
import { page, pageQuery } from '@floe/contract/api/page';
import { windowPage } from '../../store/monitoring/maintenance.ts';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { readVerb, type Verb } from '../verb.ts';
import { windowAnswer } from './view.ts';

export function listWindows(host: MonitoringHost): Verb {
  return readVerb({
    name: 'maintenance.list',
    method: 'GET',
    path: '/api/monitoring/maintenance',
    scope: MONITORING_SCOPES,
    summary: 'List maintenance windows, newest first',
    query: pageQuery,
    answer: page(maintenanceWindow),
    async run({ orgId, reader }, { query }) {
      const { rows, nextCursor } = await windowPage(reader, { orgId, ...query });
      const { nowMs } = host.engine.sight();
      return { data: rows.map((row) => windowAnswer(row, nowMs)), next_cursor: nextCursor };
    },
  });
}
