import {
  type MaintenanceWindow,
  maintenanceWindowCreation,
  maintenanceWindowPatch,
  maintenanceWindowReplacement,
  maintenanceWindowResource,
} from '@floe/contract/api/maintenance';
import { createListQuerySchema } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { createId } from '../../core/ids.ts';
import {
  type MaintenanceWindowFields,
  requireMaintenanceMonitorsExist,
  toMaintenanceWindowColumns,
} from '../../monitoring/maintenance-windows.ts';
import { parseStringListColumn } from '../../monitoring/monitoring-unit-of-work.ts';
import {
  deleteMaintenanceWindow,
  findMaintenanceWindowById,
  getMaintenanceWindowPage,
  insertMaintenanceWindow,
  type MaintenanceWindowRow,
  updateMaintenanceWindow,
} from '../../store/monitoring/maintenance-windows.ts';
import {
  toMaintenanceWindowAuditView,
  toMaintenanceWindowResource,
  toMaintenanceWindowSettings,
} from '../maintenance/maintenance-window-resource.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from '../monitors/monitoring-dependencies.ts';
import { validateInput } from '../validate-input.ts';
import { hasColumnValues } from './has-column-values.ts';
import type { ResourceKind } from './resource-kind.ts';

interface MaintenanceWindowInput {
  /** Absent: a new window. */
  readonly id: string | undefined;
  readonly fields: MaintenanceWindowFields;
}

const MAINTENANCE_WINDOW_SCHEMAS = {
  answer: maintenanceWindowResource,
  list: createListQuerySchema(),
  creation: maintenanceWindowCreation,
  change: maintenanceWindowPatch,
  replacement: maintenanceWindowReplacement,
};

type MaintenanceWindowKind = ResourceKind<
  MaintenanceWindowRow,
  MaintenanceWindowInput,
  MaintenanceWindow,
  typeof MAINTENANCE_WINDOW_SCHEMAS
>;

// budget: one declaration
/** Creates the resource kind of maintenance windows. */
export function createMaintenanceWindowResourceKind(
  dependencies: MonitoringDependencies,
): MaintenanceWindowKind {
  return {
    kind: 'maintenance',
    path: '/api/monitoring/maintenance',
    scope: MONITORING_SCOPES,
    volatileFields: ['active_until', 'next'],
    summaries: {
      list: 'List maintenance windows, newest first',
      create:
        'Create a maintenance window; Floe sends no failure alerts during the window, but still records the history',
      get: 'Read one maintenance window and its next occurrences',
      update: 'Change a maintenance window; an `ends_at` in the past ends the window',
      replace: 'Create or replace a maintenance window by its id',
      delete: 'Remove a maintenance window; if the window is in progress, it ends',
    },
    schemas: MAINTENANCE_WINDOW_SCHEMAS,
    notFoundMessage: 'No maintenance window has this id.',
    find: findMaintenanceWindowById,
    getPage: ({ reader, orgId }, query) => getMaintenanceWindowPage(reader, { orgId, ...query }),
    toResource: (row) => toMaintenanceWindowResource(row, dependencies.engine.evaluationContext().nowMs),
    toAuditView: (_, row) => toMaintenanceWindowAuditView(row),
    async configFromCreation({ writer, orgId }, { body: { id, ...fields } }) {
      if (id !== undefined && (await findMaintenanceWindowById(writer, orgId, id)))
        throw new Fault('conflict', `The maintenance window "${id}" already exists. Choose another id.`, {
          param: 'id',
        });
      return { id, fields };
    },
    configFromPatch(_, row, { body }) {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      return { id: row.id, fields: { ...toMaintenanceWindowSettings(row), ...given } };
    },
    configFromReplacement(_, __, pathId, { body: { id: given, ...fields } }) {
      const { id } = validateInput(maintenanceWindowCreation.pick({ id: true }), { id: pathId });
      if (given !== undefined && given !== id)
        throw new Fault('invalid_request', 'The field "id" must match the id in the path.', { param: 'id' });
      return { id, fields };
    },
    async insert({ orgId, actor, clock, writer }, { id, fields }) {
      const now = clock.now();
      const row: MaintenanceWindowRow = {
        org_id: orgId,
        id: id ?? createId('mnt', now),
        ...(await requireMaintenanceMonitorsExist(
          writer,
          orgId,
          toMaintenanceWindowColumns(fields, dependencies.timezone(orgId)),
        )),
        created_at: now,
        updated_at: now,
        updated_by: actor.id,
      };
      await insertMaintenanceWindow(writer, row);
      return row;
    },
    async update({ orgId, actor, clock, writer }, row, { fields }) {
      const named = parseStringListColumn(row.monitors_json);
      const wanted = toMaintenanceWindowColumns(fields, dependencies.timezone(orgId));
      const columns = await requireMaintenanceMonitorsExist(writer, orgId, wanted, named);
      if (hasColumnValues(row, columns)) return null;
      const next = { ...row, ...columns, updated_at: clock.now(), updated_by: actor.id };
      await updateMaintenanceWindow(writer, next);
      return next;
    },
    remove: ({ writer, orgId }, { id }) => deleteMaintenanceWindow(writer, orgId, id),
  };
}
