import { type maintenanceWindowPatch, storedMaintenanceWindowFields } from '@floe/contract/api/maintenance';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { MaintenanceWindowRow } from '../store/monitoring/maintenance-windows.ts';
import type { DatabaseReader } from '../store/ports.ts';
import { requireMonitorsExist } from './require-monitors.ts';
import { requireFutureOccurrence } from './schedule.ts';
import { parseStringList } from './unit-of-work.ts';

/** Settings of a window of maintenance; instants as RFC 3339. */
export type MaintenanceWindowFields = z.output<typeof maintenanceWindowPatch>;

type MaintenanceWindowColumns = Omit<
  MaintenanceWindowRow,
  'org_id' | 'id' | 'created_at' | 'updated_at' | 'updated_by'
>;

/**
 * The whole window that fields mean, as columns hold it.
 *
 * @param timezone of a schedule that names none
 * @throws Fault `invalid_request` with `param`: neither once nor repeated, an end before the start
 */
export function toWindowColumns(fields: MaintenanceWindowFields, timezone: string): MaintenanceWindowColumns {
  const { schedule = null, duration_minutes: minutes = null, monitors = [], tags = [] } = fields;
  const startsAt = fields.starts_at == null ? null : Date.parse(fields.starts_at);
  const endsAt = fields.ends_at == null ? null : Date.parse(fields.ends_at);
  if (schedule === null) {
    if (startsAt === null) throw invalidField('starts_at', 'give starts_at and ends_at, or schedule');
    if (endsAt === null) throw invalidField('ends_at', 'is missing');
    if (minutes !== null) throw invalidField('duration_minutes', 'belongs to schedule');
  } else if (minutes === null)
    throw invalidField('duration_minutes', 'is missing: how long it lasts each time');
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt)
    throw invalidField('ends_at', 'lies not after starts_at');
  const zone = schedule?.timezone ?? timezone;
  if (schedule) requireFutureOccurrence(schedule.cron, zone);
  return {
    ...storedMaintenanceWindowFields.parse(fields),
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
 * The window, which names monitors of its org alone.
 *
 * @param before ids that it named until now
 * @throws Fault `invalid_request` with `param`
 */
export async function requireWindowMonitors(
  reader: DatabaseReader,
  orgId: string,
  columns: MaintenanceWindowColumns,
  before: readonly string[] = [],
): Promise<MaintenanceWindowColumns> {
  const named = parseStringList(columns.monitors_json).map((id, index) => ({
    id,
    param: `monitors[${index}]`,
  }));
  await requireMonitorsExist(reader, orgId, named, before);
  return columns;
}

function invalidField(param: string, why: string): Fault {
  return new Fault('invalid_request', `${param}: ${why}`, { param });
}
