import { monitor, monitorPause } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { pauseMonitor as pauseStored } from '../../monitoring/monitors.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { answerNow, changeableMonitor } from './find-monitor.ts';
import { monitorShown } from './monitor-answer.ts';
import { changing, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';

export function pauseMonitor(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'monitors.pause',
    method: 'POST',
    path: '/api/monitoring/monitors/{id}/pause',
    scope: MONITORING_SCOPES,
    summary: 'Pause a monitor now; beats are recorded and nothing is missed',
    params: idParams,
    body: monitorPause,
    answer: monitor,
    status: 200,
    changes: null,
    before: () => host.engine.moment(),
    async run(context, { params, body }) {
      const row = await changeableMonitor(context.writer, context.orgId, params.id);
      const change = changing(context, host);
      const until = body?.until == null ? null : Date.parse(body.until);
      if (until !== null && until <= change.nowMs)
        throw new Fault('invalid_request', 'until: lies in the past', { param: 'until' });
      if (row.paused === 1 && row.paused_until === until)
        return { answer: await answerNow(context, row.id, host), audit: 'unchanged' };
      const next = await pauseStored(change, row, until);
      const audit = { subject: row.id, before: monitorShown(row), after: monitorShown(next) };
      return { answer: await answerNow(context, row.id, host), audit };
    },
  });
}
