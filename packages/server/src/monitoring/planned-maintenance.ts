import { type maintenanceChange, windowStored } from '@floe/contract/api/maintenance';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { MaintenanceRow } from '../store/monitoring/maintenance.ts';
import type { Reader } from '../store/ports.ts';
import { textsIn } from './book.ts';
import { requireMonitors } from './existing-monitors.ts';
import { requireOccurrences } from './schedule.ts';

/** Settings of a window of maintenance; instants as RFC 3339. */
export type WindowFields = z.output<typeof maintenanceChange>;

type WindowColumns = Omit<MaintenanceRow, 'org_id' | 'id' | 'created_at' | 'updated_at' | 'updated_by'>;

/**
 * The whole window that fields mean, as columns hold it.
 *
 * @param timezone of a schedule that names none
 * @throws Fault `invalid_request` with `param`: neither once nor repeated, an end before the start
 */
export function windowColumns(fields: WindowFields, timezone: string): WindowColumns {
  const { schedule = null, duration_minutes: minutes = null, monitors = [], tags = [] } = fields;
  const startsAt = fields.starts_at == null ? null : Date.parse(fields.starts_at);
  const endsAt = fields.ends_at == null ? null : Date.parse(fields.ends_at);
  if (schedule === null) {
    if (startsAt === null) throw refused('starts_at', 'give starts_at and ends_at, or schedule');
    if (endsAt === null) throw refused('ends_at', 'is missing');
    if (minutes !== null) throw refused('duration_minutes', 'belongs to schedule');
  } else if (minutes === null) throw refused('duration_minutes', 'is missing: how long it lasts each time');
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt)
    throw refused('ends_at', 'lies not after starts_at');
  const zone = schedule?.timezone ?? timezone;
  if (schedule) requireOccurrences(schedule.cron, zone);
  return {
    ...windowStored.parse(fields),
    starts_at: startsAt,
    ends_at: endsAt,
    cron: schedule?.cron ?? null,
    timezone: schedule && zone,
    duration_ms: minutes === null ? null : Math.round(minutes * 60_000),
    monitors_json: JSON.stringify(monitors),
    tags_json: JSON.stringify(tags),
    on_boards: fields.on_boards === true ? 1 : 0,
  };
}

/**
 * The window, which names monitors of its org alone.
 *
 * @param before ids that it named until now
 * @throws Fault `invalid_request` with `param`
 */
export async function windowOfMonitors(
  reader: Reader,
  orgId: string,
  columns: WindowColumns,
  before: readonly string[] = [],
): Promise<WindowColumns> {
  const named = textsIn(columns.monitors_json).map((id, index) => ({ id, param: `monitors[${index}]` }));
  await requireMonitors(reader, orgId, named, before);
  return columns;
}

function refused(param: string, why: string): Fault {
  return new Fault('invalid_request', `${param}: ${why}`, { param });
}
