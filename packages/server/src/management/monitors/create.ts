import { monitor, monitorCreation } from '@floe/contract/api/monitors';
import { Fault } from '@floe/contract/faults';
import { newId } from '../../core/ids.ts';
import { createMonitor as createStored } from '../../monitoring/monitors.ts';
import { monitorById } from '../../store/monitoring/definitions.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { monitorDraft } from './draft.ts';
import { answerNow, mustKnowChannels } from './find.ts';
import { changing, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';
import { monitorShown } from './view.ts';

export function createMonitor(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'monitors.create',
    method: 'POST',
    path: '/api/monitoring/monitors',
    scope: MONITORING_SCOPES,
    summary: 'Create a monitor; it waits for its first beat',
    body: monitorCreation,
    answer: monitor,
    status: 201,
    changes: null,
    before: () => host.engine.moment(),
    async run(context, { body }) {
      const { orgId, clock, writer } = context;
      const id = body.id ?? newId('mon', clock.now());
      const definition = monitorDraft({ ...body, id }, {}, host.timezone(orgId));
      await mustBeFree(writer, orgId, id);
      await mustKnowChannels(writer, orgId, definition.channels);
      const row = await createStored(changing(context, host), orgId, definition);
      const audit = { subject: id, before: null, after: monitorShown(row) };
      return { answer: await answerNow(context, id, host), audit };
    },
  });
}

async function mustBeFree(
  writer: Parameters<typeof monitorById>[0],
  orgId: string,
  id: string,
): Promise<void> {
  const other = await monitorById(writer, orgId, id);
  if (other?.disabled_at === null)
    throw new Fault('conflict', `A monitor "${id}" exists already.`, { param: 'id' });
}
