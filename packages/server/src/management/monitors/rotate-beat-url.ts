import { monitor } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { mustFindMonitor, rotateBeatUrl } from '../../monitoring/monitors.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { answerNow } from './find-monitor.ts';
import { monitorShown } from './monitor-answer.ts';
import { changing, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';

/** Also of monitors in floe.yaml: a URL that leaked must go, and the file does not hold it. */
export function rotateMonitor(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'monitors.rotate',
    method: 'POST',
    path: '/api/monitoring/monitors/{id}/rotate',
    scope: MONITORING_SCOPES,
    summary: 'Give a monitor another beat URL; the old one is unknown at once',
    params: idParams,
    answer: monitor,
    status: 200,
    changes: null,
    before: () => host.engine.moment(),
    async run(context, { params }) {
      const row = await mustFindMonitor(context.writer, context.orgId, params.id);
      const next = await rotateBeatUrl(changing(context, host), row);
      const audit = { subject: row.id, before: monitorShown(row), after: monitorShown(next) };
      return { answer: await answerNow(context, row.id, host), audit };
    },
  });
}
