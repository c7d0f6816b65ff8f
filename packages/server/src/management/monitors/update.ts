import { monitor, monitorChange } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { replaceMonitor } from '../../monitoring/monitors.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { isSame, monitorConfig, monitorDraft } from './draft.ts';
import { answerNow, changeableMonitor, mustKnowChannels } from './find.ts';
import { changing, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';
import { monitorShown } from './view.ts';

export function updateMonitor(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'monitors.update',
    method: 'PATCH',
    path: '/api/monitoring/monitors/{id}',
    scope: MONITORING_SCOPES,
    summary: 'Change a monitor; what was due before is judged by the old schedule',
    params: idParams,
    body: monitorChange,
    answer: monitor,
    status: 200,
    changes: null,
    before: () => host.engine.moment(),
    async run(context, { params, body }) {
      const { orgId, writer } = context;
      const row = await changeableMonitor(writer, orgId, params.id);
      const change = changing(context, host);
      const current = monitorConfig(row, change.nowMs);
      const definition = monitorDraft(body, current, host.timezone(orgId));
      if (isSame(row, definition))
        return { answer: await answerNow(context, row.id, host), audit: 'unchanged' };
      if (body.channels) await mustKnowChannels(writer, orgId, body.channels);
      const next = await replaceMonitor(change, row, definition);
      const audit = { subject: row.id, before: monitorShown(row), after: monitorShown(next) };
      return { answer: await answerNow(context, row.id, host), audit };
    },
  });
}
