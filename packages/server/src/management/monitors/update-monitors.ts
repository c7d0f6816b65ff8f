import { type MonitorsChanged, monitorsChange, monitorsChanged } from '@floe/contract/api/monitors';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { textsIn } from '../../monitoring/book.ts';
import { replaceMonitor } from '../../monitoring/monitors.ts';
import type { MonitorRow } from '../../store/monitoring/definitions.ts';
import type { Writer } from '../../store/ports.ts';
import type { FurtherChange } from '../audited-change.ts';
import { isStored } from '../resources/is-stored.ts';
import { type Verb, type VerbContext, writeVerb } from '../verb.ts';
import { changeableMonitor, mustKnowChannels } from './find-monitor.ts';
import { monitorShown } from './monitor-answer.ts';
import { monitorConfig, monitorDraft } from './monitor-draft.ts';
import { changing, MONITORING_SCOPES, type MonitoringHost } from './monitoring-host.ts';

type Ask = z.output<typeof monitorsChange>;

/** One change for a selection: those that cannot be changed are named, the others are changed together. */
export function updateMonitors(host: MonitoringHost): Verb {
  return writeVerb({
    name: 'monitors.update_many',
    method: 'PATCH',
    path: '/api/monitoring/monitors',
    scope: MONITORING_SCOPES,
    summary: 'Pause, mute, tag or route several monitors at once; those that may not be changed are named',
    body: monitorsChange,
    answer: monitorsChanged,
    status: 200,
    changes: null,
    before: () => host.engine.moment(),
    async run(context, { body }) {
      const { ids, ...ask } = body;
      if (Object.values(ask).every((value) => value === undefined))
        throw new Fault('invalid_request', 'There is nothing to change: name a setting beside ids.');
      if (ask.channels) await mustKnowChannels(context.writer, context.orgId, ask.channels);
      const answer: { [Name in keyof MonitorsChanged]: MonitorsChanged[Name][number][] } = {
        changed: [],
        unchanged: [],
        refused: [],
      };
      const further: FurtherChange[] = [];
      for (const id of new Set(ids)) {
        const row = await changeableMonitor(context.writer, context.orgId, id).catch(refusalOf);
        if (row instanceof Fault) {
          answer.refused.push({ id, code: row.code, message: row.message });
          continue;
        }
        const change = await changeOne(context, host, row, ask);
        (change ? answer.changed : answer.unchanged).push(id);
        if (change) further.push(change);
      }
      return { answer, audit: 'unchanged', further };
    },
  });
}

/** What the log keeps of it; null when the monitor was like that already. */
async function changeOne(
  context: VerbContext & { readonly writer: Writer },
  host: MonitoringHost,
  row: MonitorRow,
  { add_tags: added = [], remove_tags: removed = [], ...settings }: Omit<Ask, 'ids'>,
): Promise<FurtherChange | null> {
  const change = changing(context, host);
  const tags = new Set([...textsIn(row.tags_json), ...added]);
  for (const tag of removed) tags.delete(tag);
  const fields = added.length + removed.length > 0 ? { ...settings, tags: [...tags] } : settings;
  const current = monitorConfig(row, change.nowMs);
  const definition = monitorDraft(fields, current, host.timezone(context.orgId));
  if (isStored(row, definition)) return null;
  const next = await replaceMonitor(change, row, definition);
  return {
    action: 'monitors.update',
    subject: row.id,
    before: monitorShown(row),
    after: monitorShown(next),
  };
}

/** A monitor that is not there or stands in the file is told; anything else ends the whole change. */
function refusalOf(error: unknown): Fault {
  if (error instanceof Fault && (error.code === 'monitor_not_found' || error.code === 'managed_by_file'))
    return error;
  throw error;
}
