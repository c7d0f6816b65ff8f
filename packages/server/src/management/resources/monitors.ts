import {
  MAX_BULK_MONITORS,
  type Monitor,
  monitorCreation,
  monitorListQuery,
  monitorPatch,
  monitorReplacement,
  monitorResource,
} from '@floe/contract/api/monitors';
import { Fault } from '@floe/contract/faults';
import { createId } from '../../core/ids.ts';
import { DEFAULT_GRACE_MS, type MonitorDefinition } from '../../monitoring/monitor-definition.ts';
import { parseStringListColumn } from '../../monitoring/monitoring-unit-of-work.ts';
import {
  createMonitor,
  deleteMonitor,
  isPauseOrMuteChange,
  updateMonitor,
} from '../../monitoring/monitors.ts';
import {
  findMonitorView,
  getMonitorViewPage,
  type MonitorView,
  requireMonitorView,
  toMonitorView,
} from '../../monitoring/read-monitors.ts';
import { findMonitorById, getDefaultGraceMs } from '../../store/monitoring/monitors.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import {
  buildMonitorDefinition,
  requireFutureEndTimes,
  toMonitorConfig,
} from '../monitors/monitor-definition.ts';
import { requireChannelsExist, requireMonitorNotManagedByFile } from '../monitors/monitor-requirements.ts';
import { msToMinutes, toMonitorAuditView, toMonitorResource } from '../monitors/monitor-resource.ts';
import {
  createMonitorChangeContext,
  MONITORING_SCOPES,
  type MonitoringDependencies,
} from '../monitors/monitoring-dependencies.ts';
import { hasColumnValues } from './has-column-values.ts';
import type { ResourceKind } from './resource-kind.ts';

const MONITOR_SCHEMAS = {
  answer: monitorResource,
  list: monitorListQuery,
  creation: monitorCreation,
  change: monitorPatch,
  replacement: monitorReplacement,
};

type MonitorResourceKind = ResourceKind<MonitorView, MonitorDefinition, Monitor, typeof MONITOR_SCHEMAS>;

const MONITOR_SUMMARIES = {
  list: 'List monitors, newest first by default; filter by tag, status, channel, source, ids, or part of the id or name',
  create: 'Create a monitor; it waits for its first beat',
  get: 'Read one monitor and its current status',
  update: 'Change a monitor; beats that were already due are evaluated with the old schedule',
  replace: 'Create or replace a monitor by its id; its history is kept',
  delete:
    'Remove a monitor: its beats are rejected and its alerts end; its history is kept for the retention period',
};

// budget: one declaration
/**
 * Creates the resource kind of monitors, with their status. A removed monitor keeps its history, and continues it if
 * a monitor with the same id is created.
 */
export function createMonitorResourceKind(dependencies: MonitoringDependencies): MonitorResourceKind {
  const evaluationContext = () => dependencies.engine.evaluationContext();
  return {
    kind: 'monitors',
    path: '/api/monitoring/monitors',
    scope: MONITORING_SCOPES,
    volatileFields: ['status', 'last_beat_at', 'next_due_at', 'deadline_at', 'failing_since', 'beat_url'],
    summaries: MONITOR_SUMMARIES,
    schemas: MONITOR_SCHEMAS,
    notFoundMessage: 'No monitor has this id.',
    notFoundCode: 'monitor_not_found',
    beforeTransaction: () => dependencies.engine.changeContext(),
    find: (reader, orgId, id) => findMonitorView(reader, orgId, id, evaluationContext()),
    async getPage({ reader, orgId }, query) {
      const asked = { ...query, orgId, ids: parseMonitorIds(query.ids) };
      const { rows, nextCursor } = await getMonitorViewPage(reader, asked, evaluationContext());
      const { status } = query;
      // The stored state may be a second behind.
      return {
        rows: rows.filter(({ state }) => status === undefined || state.status === status),
        nextCursor,
      };
    },
    toResource: (view, { actor }) => toMonitorResource(view, actor, dependencies),
    toAuditView: (_, { row }) => toMonitorAuditView(row),
    requireChangeable({ row }, _, patch) {
      if (!isPauseOrMuteChange(patch)) requireMonitorNotManagedByFile(row);
    },
    async configFromCreation({ writer, orgId, clock }, { body }) {
      const id = body.id ?? createId('mon', clock.now());
      requireFutureEndTimes(body, null, evaluationContext().nowMs);
      const definition = buildMonitorDefinition({ ...body, id }, {}, dependencies.timezone(orgId));
      const other = await findMonitorById(writer, orgId, id);
      if (other?.disabled_at === null)
        throw new Fault('conflict', `The monitor "${id}" already exists. Choose another id.`, {
          param: 'id',
        });
      await requireChannelsExist(writer, orgId, parseStringListColumn(definition.channels_json));
      return definition;
    },
    async configFromPatch({ writer, orgId }, { row }, { body }) {
      const { nowMs } = evaluationContext();
      requireFutureEndTimes(body, row, nowMs);
      const definition = buildMonitorDefinition(
        body,
        toMonitorConfig(row, nowMs),
        dependencies.timezone(orgId),
      );
      if (body.channels)
        await requireChannelsExist(writer, orgId, body.channels, parseStringListColumn(row.channels_json));
      return definition;
    },
    async configFromReplacement({ writer, orgId }, view, id, { body }) {
      if (body.id !== undefined && body.id !== id)
        throw new Fault(
          'invalid_request',
          'The field "id" must match the id in the path. Ids cannot be changed.',
          {
            param: 'id',
          },
        );
      const fields = {
        ...body,
        id,
        ...((await inheritsGracePeriod(writer, orgId, body)) && INHERITED_GRACE_PERIOD),
      };
      const definition = buildMonitorDefinition(fields, {}, dependencies.timezone(orgId));
      await requireChannelsExist(
        writer,
        orgId,
        parseStringListColumn(definition.channels_json),
        view ? parseStringListColumn(view.row.channels_json) : [],
      );
      return definition;
    },
    async insert(context, definition) {
      const { row, state } = await createMonitor(
        createMonitorChangeContext(context, dependencies),
        context.orgId,
        definition,
      );
      return toMonitorView(row, state, evaluationContext());
    },
    async update(context, { row }, definition) {
      if (hasColumnValues(row, definition)) return null;
      await updateMonitor(createMonitorChangeContext(context, dependencies), row, definition);
      return requireMonitorView(context.writer, context.orgId, row.id, evaluationContext());
    },
    remove: (context, { row }) => deleteMonitor(createMonitorChangeContext(context, dependencies), row),
  };
}

/** @throws Fault `invalid_request` for more ids than one response may contain */
function parseMonitorIds(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const ids = [...new Set(text.split(',').filter((id) => id !== ''))];
  if (ids.length <= MAX_BULK_MONITORS) return ids;
  throw new Fault(
    'invalid_request',
    `ids: must have at most ${MAX_BULK_MONITORS} entries. Send several requests.`,
    { param: 'ids' },
  );
}

const INHERITED_GRACE_PERIOD = { grace_period_minutes: null };

/**
 * Whether the monitor keeps the grace period of the org. `GET` returns the effective value. A replacement
 * that repeats it with `grace_source: "org"` does not turn it into a setting of the monitor.
 */
async function inheritsGracePeriod(
  writer: DatabaseWriter,
  orgId: string,
  body: {
    readonly grace_source?: string | undefined;
    readonly grace_period_minutes?: number | null | undefined;
  },
): Promise<boolean> {
  if (body.grace_source !== 'org') return false;
  const graceMs = (await getDefaultGraceMs(writer, orgId)) ?? DEFAULT_GRACE_MS;
  return body.grace_period_minutes === msToMinutes(graceMs);
}
