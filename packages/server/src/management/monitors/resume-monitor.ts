import { monitor } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { resumeMonitor as resumeStored } from '../../monitoring/monitors.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { answerNow, changeableMonitor } from './find-monitor.ts';
import { monitorShown } from './monitor-answer.ts';
import { changing, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';

export function resumeMonitor(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'monitors.resume',
    method: 'POST',
    path: '/api/monitoring/monitors/{id}/resume',
    scope: MONITORING_SCOPES,
    summary: 'End a pause: the monitor waits for a beat, with a whole window before it',
    params: idParams,
    answer: monitor,
    status: 200,
    changes: null,
    before: () => host.engine.moment(),
    async run(context, { params }) {
      const row = await changeableMonitor(context.writer, context.orgId, params.id);
      const next = await resumeStored(changing(context, host), row);
      const audit = { subject: row.id, before: monitorShown(row), after: monitorShown(next) };
      return { answer: await answerNow(context, row.id, host), audit };
    },
  });
}
