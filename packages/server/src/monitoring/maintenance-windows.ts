import {
  maintenanceWindowFieldsStoredAsIs,
  type maintenanceWindowPatch,
} from '@floe/contract/api/maintenance';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { MaintenanceWindowRow } from '../store/monitoring/maintenance-windows.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { requireUsableCron } from './monitor-schedule.ts';
import { parseStringListColumn } from './monitoring-unit-of-work.ts';
import { requireMonitorsExist } from './require-monitors.ts';

/** The fields of a maintenance window. Times are RFC 3339 timestamps. */
export type MaintenanceWindowFields = z.output<typeof maintenanceWindowPatch>;

type MaintenanceWindowColumns = Omit<
  MaintenanceWindowRow,
  'org_id' | 'id' | 'created_at' | 'updated_at' | 'updated_by'
>;

/**
 * Converts the fields of a maintenance window to database columns.
 * @param timezone the time zone for a schedule without one
 * @throws Fault `invalid_request` with `param` if the window has neither a single time nor a schedule, or
 * ends before it starts
 */
export function toMaintenanceWindowColumns(
  fields: MaintenanceWindowFields,
  timezone: string,
): MaintenanceWindowColumns {
  const { schedule = null, duration_minutes: minutes = null, monitors = [], tags = [] } = fields;
  const startsAt = fields.starts_at == null ? null : Date.parse(fields.starts_at);
  const endsAt = fields.ends_at == null ? null : Date.parse(fields.ends_at);
  if (schedule === null) {
    if (startsAt === null) throw invalidField('starts_at', 'is required unless schedule is set');
    if (endsAt === null) throw invalidField('ends_at', 'is required unless schedule is set');
    if (minutes !== null) throw invalidField('duration_minutes', 'requires schedule');
  } else if (minutes === null) throw invalidField('duration_minutes', 'is required if schedule is set');
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt)
    throw invalidField('ends_at', 'must be after starts_at');
  const zone = schedule?.timezone ?? timezone;
  if (schedule) requireUsableCron(schedule.cron);
  return {
    ...maintenanceWindowFieldsStoredAsIs.parse(fields),
    starts_at: startsAt,
    ends_at: endsAt,
    cron: schedule?.cron ?? null,
    timezone: schedule && zone,
    duration_ms: minutes === null ? null : Math.round(minutes * 60_000),
    monitors_json: JSON.stringify(monitors),
    tags_json: JSON.stringify(tags),
    show_on_boards: fields.show_on_boards === true ? 1 : 0,
  };
}

/**
 * Requires that all monitors in a maintenance window exist in its organization. Returns the columns.
 * @param before the monitor ids in the window before the change. They are accepted even if the monitors have
 * been removed.
 * @throws Fault `invalid_request` with `param`
 */
export async function requireMaintenanceMonitorsExist(
  reader: DatabaseReader,
  orgId: string,
  columns: MaintenanceWindowColumns,
  before: readonly string[] = [],
): Promise<MaintenanceWindowColumns> {
  const named = parseStringListColumn(columns.monitors_json).map((id, index) => ({
    id,
    param: `monitors[${index}]`,
  }));
  await requireMonitorsExist(reader, orgId, named, before);
  return columns;
}

function invalidField(param: string, why: string): Fault {
  return new Fault('invalid_request', `${param}: ${why}`, { param });
}
