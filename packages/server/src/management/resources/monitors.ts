import {
  MONITORS_AT_ONCE,
  type Monitor,
  monitor,
  monitorChange,
  monitorCreation,
  monitorQuery,
  monitorReplacement,
} from '@floe/contract/api/monitors';
import { Fault } from '@floe/contract/faults';
import { newId } from '../../core/ids.ts';
import { textsIn } from '../../monitoring/book.ts';
import { DEFAULT_GRACE_MS, type MonitorDefinition } from '../../monitoring/definition.ts';
import { createMonitor, deleteMonitor, replaceMonitor } from '../../monitoring/monitors.ts';
import { findMonitor, listMonitors, type MonitorView, readMonitor } from '../../monitoring/read.ts';
import { defaultGrace, monitorById } from '../../store/monitoring/definitions.ts';
import type { Writer } from '../../store/ports.ts';
import { mustBeOwn, mustKnowChannels } from '../monitors/find-monitor.ts';
import { minutesOf, monitorAnswer, monitorShown } from '../monitors/monitor-answer.ts';
import { monitorConfig, monitorDraft } from '../monitors/monitor-draft.ts';
import { changing, MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { isStored } from './is-stored.ts';
import type { ResourceKind } from './resource-kind.ts';

const SHAPES = {
  answer: monitor,
  list: monitorQuery,
  creation: monitorCreation,
  change: monitorChange,
  replacement: monitorReplacement,
};

type MonitorKind = ResourceKind<MonitorView, MonitorDefinition, Monitor, typeof SHAPES>;

const SUMMARIES = {
  list: 'List monitors, newest or most urgent first; by tag, status, channel, or a part of id or name',
  create: 'Create a monitor; it waits for its first beat',
  get: 'Read one monitor and where it stands now',
  update: 'Change a monitor; what was due before is judged by the old schedule',
  replace: 'Create or replace a monitor by its id; its history goes on',
  delete:
    'Remove a monitor; its beats are refused from now on and its alerts are over, its history stays until retention',
};

/** Monitors, with where they stand. One that was removed keeps its history, and continues it when it is made again. */
// budget: one declaration
export function monitors(host: MonitoringHost): MonitorKind {
  const sight = () => host.engine.sight();
  return {
    kind: 'monitors',
    path: '/api/monitoring/monitors',
    scope: MONITORING_SCOPES,
    live: ['status', 'last_beat_at', 'next_due_at', 'deadline_at', 'failing_since', 'beat_url'],
    summaries: SUMMARIES,
    shapes: SHAPES,
    unknown: 'There is no monitor with this id in this organization.',
    unknownCode: 'monitor_not_found',
    before: () => host.engine.moment(),
    find: (reader, orgId, id) => findMonitor(reader, orgId, id, sight()),
    async page({ reader, orgId }, query) {
      const asked = { ...query, orgId, ids: idsIn(query.ids) };
      const { rows, nextCursor } = await listMonitors(reader, asked, sight());
      const { status } = query;
      // The clock that was written last may be a second behind.
      return {
        rows: rows.filter(({ clock }) => status === undefined || clock.status === status),
        nextCursor,
      };
    },
    view: (view, { actor }) => monitorAnswer(view, actor, host),
    shown: (_, { row }) => monitorShown(row),
    mustBeChangeable: ({ row }) => mustBeOwn(row),
    async created({ writer, orgId, clock }, { body }) {
      const id = body.id ?? newId('mon', clock.now());
      const definition = monitorDraft({ ...body, id }, {}, host.timezone(orgId));
      const other = await monitorById(writer, orgId, id);
      if (other?.disabled_at === null)
        throw new Fault('conflict', `A monitor "${id}" exists already.`, { param: 'id' });
      await mustKnowChannels(writer, orgId, textsIn(definition.channels_json));
      return definition;
    },
    async changed({ writer, orgId }, { row }, { body }) {
      const definition = monitorDraft(body, monitorConfig(row, sight().nowMs), host.timezone(orgId));
      if (body.channels) await mustKnowChannels(writer, orgId, body.channels);
      return definition;
    },
    async replaced({ writer, orgId }, view, id, { body }) {
      if (body.id !== undefined && body.id !== id)
        throw new Fault('invalid_request', 'id: is not the one of the path; an id never changes', {
          param: 'id',
        });
      const fields = { ...body, id, ...((await followsOrg(writer, orgId, body)) && INHERITED) };
      const definition = monitorDraft(fields, {}, host.timezone(orgId));
      if (!view || !isStored(view.row, definition))
        await mustKnowChannels(writer, orgId, textsIn(definition.channels_json));
      return definition;
    },
    async insert(context, definition) {
      const { writer, orgId } = context;
      await createMonitor(changing(context, host), orgId, definition);
      return readMonitor(writer, orgId, definition.id, sight());
    },
    async update(context, { row }, definition) {
      if (isStored(row, definition)) return null;
      await replaceMonitor(changing(context, host), row, definition);
      return readMonitor(context.writer, context.orgId, row.id, sight());
    },
    remove: (context, { row }) => deleteMonitor(changing(context, host), row),
  };
}

/** @throws Fault `invalid_request` for more than are answered at once */
function idsIn(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const ids = [...new Set(text.split(',').filter((id) => id !== ''))];
  if (ids.length <= MONITORS_AT_ONCE) return ids;
  throw new Fault('invalid_request', `ids: at most ${MONITORS_AT_ONCE} at a time`, { param: 'ids' });
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
