import { monitor, monitorReplacement } from '@floe/contract/api/monitors';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { DEFAULT_GRACE_MS } from '../../monitoring/definition.ts';
import { createMonitor, replaceMonitor } from '../../monitoring/monitors.ts';
import { defaultGrace, monitorById } from '../../store/monitoring/definitions.ts';
import type { Writer } from '../../store/ports.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { isSame, monitorDraft } from './draft.ts';
import { answerNow, mustBeOwn, mustKnowChannels } from './find.ts';
import { changing, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';
import { minutesOf, monitorShown } from './view.ts';

/** Takes what `GET` returned; the same body again changes nothing. Settings that are absent return to their default. */
export function putMonitor(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'monitors.replace',
    method: 'PUT',
    path: '/api/monitoring/monitors/{id}',
    scope: MONITORING_SCOPES,
    summary: 'Create or replace a monitor by its id; its history goes on',
    params: idParams,
    body: monitorReplacement,
    answer: monitor,
    status: 200,
    changes: null,
    before: () => host.engine.moment(),
    async run(context, { params, body }) {
      const { orgId, writer } = context;
      const { id } = params;
      if (body.id !== undefined && body.id !== id)
        throw new Fault('invalid_request', 'id: is not the one of the path; an id never changes', {
          param: 'id',
        });
      const fields = { ...body, id, ...((await followsOrg(writer, orgId, body)) && INHERITED) };
      const definition = monitorDraft(fields, {}, host.timezone(orgId));
      const row = await monitorById(writer, orgId, id);
      if (row) mustBeOwn(row);
      const live = row?.disabled_at === null;
      if (row && live && isSame(row, definition))
        return { answer: await answerNow(context, id, host), audit: 'unchanged' };
      await mustKnowChannels(writer, orgId, definition.channels);
      const change = changing(context, host);
      const next = row
        ? await replaceMonitor(change, row, definition)
        : await createMonitor(change, orgId, definition);
      const audit = { subject: id, before: row ? monitorShown(row) : null, after: monitorShown(next) };
      return { answer: await answerNow(context, id, host), audit };
    },
  });
}

const INHERITED = { grace_period_minutes: null };

/** `GET` shows the grace in force. Given back beside `grace_source: "org"`, it is the org's unless it was changed. */
async function followsOrg(
  writer: Writer,
  orgId: string,
  body: {
    readonly grace_source?: string | undefined;
    readonly grace_period_minutes?: number | null | undefined;
  },
): Promise<boolean> {
  if (body.grace_source !== 'org') return false;
  const graceMs = (await defaultGrace(writer, orgId)) ?? DEFAULT_GRACE_MS;
  return body.grace_period_minutes === minutesOf(graceMs);
}
