import { spanQuery, uptime } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { readMonitor, readUptime } from '../../monitoring/read.ts';
import { readVerb, type Verb } from '../verb.ts';
import { MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';
import { rangeOf } from './range-of.ts';

export function getUptime(host: MonitoringHost): Verb {
  return readVerb({
    name: 'monitors.uptime',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}/uptime',
    scope: MONITORING_SCOPES,
    summary: 'Uptime and downtime of a range, from durations; the last 30 days unless told otherwise',
    params: idParams,
    query: spanQuery,
    answer: uptime,
    async run({ orgId, reader }, { params, query }) {
      const sight = host.engine.sight();
      const view = await readMonitor(reader, orgId, params.id, sight);
      const range = rangeOf(query, sight.nowMs);
      const found = await readUptime(reader, view, range, sight);
      return {
        from: new Date(range.fromMs).toISOString(),
        to: new Date(range.toMs).toISOString(),
        uptime_ratio: found.uptimeRatio,
        healthy_seconds: found.healthyMs / 1000,
        downtime_seconds: found.downtimeMs / 1000,
        unknown_seconds: found.unknownMs / 1000,
        incidents: found.incidents,
      };
    },
  });
}
