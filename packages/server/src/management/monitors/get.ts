import { monitor } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { readMonitor } from '../../monitoring/read.ts';
import { readVerb, type Verb } from '../verb.ts';
import { MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';
import { monitorAnswer } from './view.ts';

export function getMonitor(host: MonitoringHost): Verb {
  return readVerb({
    name: 'monitors.get',
    method: 'GET',
    path: '/api/monitoring/monitors/{id}',
    scope: MONITORING_SCOPES,
    summary: 'Read one monitor and where it stands now',
    live: ['status', 'last_beat_at', 'next_due_at', 'deadline_at', 'failing_since', 'beat_url'],
    params: idParams,
    answer: monitor,
    run: async ({ orgId, actor, reader }, { params }) =>
      monitorAnswer(await readMonitor(reader, orgId, params.id, host.engine.sight()), actor, host),
  });
}
