import {
  type MaintenanceWindow,
  maintenanceChange,
  maintenanceCreation,
  maintenanceReplacement,
  maintenanceWindow,
} from '@floe/contract/api/maintenance';
import { listQuery } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { newId } from '../../core/ids.ts';
import { textsIn } from '../../monitoring/book.ts';
import { type WindowFields, windowColumns, windowOfMonitors } from '../../monitoring/planned-maintenance.ts';
import {
  changeWindow,
  deleteWindow,
  insertWindow,
  type MaintenanceRow,
  windowById,
  windowPage,
} from '../../store/monitoring/maintenance.ts';
import { validate } from '../input.ts';
import { settingsOf, windowAnswer, windowShown } from '../maintenance/maintenance-answer.ts';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { isStored } from './is-stored.ts';
import type { ResourceKind } from './resource-kind.ts';

interface Wanted {
  /** Absent: a new one. */
  readonly id: string | undefined;
  readonly fields: WindowFields;
}

const SHAPES = {
  answer: maintenanceWindow,
  list: listQuery(),
  creation: maintenanceCreation,
  change: maintenanceChange,
  replacement: maintenanceReplacement,
};

type WindowKind = ResourceKind<MaintenanceRow, Wanted, MaintenanceWindow, typeof SHAPES>;

// budget: one declaration
export function maintenanceWindows(host: MonitoringHost): WindowKind {
  return {
    kind: 'maintenance',
    path: '/api/monitoring/maintenance',
    scope: MONITORING_SCOPES,
    live: ['active_until', 'next'],
    summaries: {
      list: 'List maintenance windows, newest first',
      create: 'Plan maintenance: messages are held back, states are recorded as ever',
      get: 'Read one maintenance window, and when it is next',
      update: 'Change a maintenance window; an `ends_at` that has passed ends it',
      replace: 'Create or replace a maintenance window by its id',
      delete: 'Remove a maintenance window; one under way is over',
    },
    shapes: SHAPES,
    unknown: 'No maintenance window has this id.',
    find: windowById,
    page: ({ reader, orgId }, query) => windowPage(reader, { orgId, ...query }),
    view: (row) => windowAnswer(row, host.engine.sight().nowMs),
    shown: (_, row) => windowShown(row),
    async created({ writer, orgId }, { body: { id, ...fields } }) {
      if (id !== undefined && (await windowById(writer, orgId, id)))
        throw new Fault('conflict', `A maintenance window "${id}" exists already.`, { param: 'id' });
      return { id, fields };
    },
    changed(_, row, { body }) {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      return { id: row.id, fields: { ...settingsOf(row), ...given } };
    },
    replaced(_, __, pathId, { body: { id: given, ...fields } }) {
      const { id } = validate(maintenanceCreation.pick({ id: true }), { id: pathId });
      if (given !== undefined && given !== id)
        throw new Fault('invalid_request', 'id: is not the one of the path', { param: 'id' });
      return { id, fields };
    },
    async insert({ orgId, actor, clock, writer }, { id, fields }) {
      const now = clock.now();
      const row: MaintenanceRow = {
        org_id: orgId,
        id: id ?? newId('mnt', now),
        ...(await windowOfMonitors(writer, orgId, windowColumns(fields, host.timezone(orgId)))),
        created_at: now,
        updated_at: now,
        updated_by: actor.id,
      };
      await insertWindow(writer, row);
      return row;
    },
    async update({ orgId, actor, clock, writer }, row, { fields }) {
      const named = textsIn(row.monitors_json);
      const wanted = windowColumns(fields, host.timezone(orgId));
      const columns = await windowOfMonitors(writer, orgId, wanted, named);
      if (isStored(row, columns)) return null;
      const next = { ...row, ...columns, updated_at: clock.now(), updated_by: actor.id };
      await changeWindow(writer, next);
      return next;
    },
    remove: ({ writer, orgId }, { id }) => deleteWindow(writer, orgId, id),
  };
}
