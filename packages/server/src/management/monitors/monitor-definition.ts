import { MonitorSchema } from '@floe/contract/config/monitoring';
import { Fault } from '@floe/contract/faults';
import { type MonitorDefinition, toMonitorDefinition } from '../../monitoring/monitor-definition.ts';
import type { MonitorRow } from '../../store/monitoring/monitors.ts';
import { parseFutureTimestamp } from '../parse-future-timestamp.ts';
import { validateInput } from '../validate-input.ts';
import { msToMinutes, READ_ONLY_MONITOR_FIELDS, toMonitorSettings } from './monitor-resource.ts';
import { toIsoTimestampOrNull } from './monitoring-dependencies.ts';

/** The request fields that define a monitor. */
export type MonitorInputFields = Readonly<Record<string, unknown>>;

/**
 * Merges `fields` over `current` and validates the result. Absent fields keep their values. Null
 * clears a field. Setting the interval removes the cron expression, and vice versa. Ending a pause
 * removes its end time.
 *
 * @throws Fault `invalid_request` with `param` and the message that floe.yaml would cause
 */
export function buildMonitorDefinition(
  fields: MonitorInputFields,
  current: MonitorInputFields,
  timezone: string,
): MonitorDefinition {
  const merged: Record<string, unknown> = { ...current };
  const given = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && !READ_ONLY_MONITOR_FIELDS.has(name),
  );
  const isGiven = (name: string) => fields[name] !== undefined && fields[name] !== null;
  if (isGiven('schedule')) delete merged['expected_interval_minutes'];
  if (isGiven('expected_interval_minutes')) delete merged['schedule'];
  if (fields['paused'] !== undefined) delete merged['paused_until'];
  for (const [name, value] of given)
    if (value === null) delete merged[name];
    else merged[name] = value;
  if (fields['paused'] === false && isGiven('paused_until'))
    throw new Fault(
      'invalid_request',
      'paused_until: requires paused: true. Set paused to true, or remove paused_until.',
      {
        param: 'paused_until',
      },
    );
  return toMonitorDefinition(validateInput(MonitorSchema, merged), timezone);
}

/**
 * Requires that the end times in a create or patch request are in the future. Not used for PUT requests, configuration
 * documents and floe.yaml: they are applied repeatedly, so their end times may have passed.
 * @param row the monitor before the change; null for a new one
 * @throws Fault `invalid_request` with `param` if a new end time is in the past
 */
export function requireFutureEndTimes(
  fields: Partial<Record<'paused_until' | 'muted_until', string | null | undefined>>,
  row: Pick<MonitorRow, 'paused_until' | 'muted_until'> | null,
  nowMs: number,
): void {
  for (const name of ['paused_until', 'muted_until'] as const)
    parseFutureTimestamp(name, fields[name], nowMs, row?.[name]);
}

/** Converts a stored monitor to the format of floe.yaml. */
export function toMonitorConfig(row: MonitorRow, nowMs: number): MonitorInputFields {
  const pauseLasts = row.paused_until === null || row.paused_until > nowMs;
  const { name, description, expected_interval_minutes, schedule, tags, channels, ...others } =
    toMonitorSettings(row);
  const fields = {
    id: row.id,
    name,
    description,
    expected_interval_minutes,
    schedule,
    grace_period_minutes: msToMinutes(row.grace_ms),
    tags,
    channels,
    paused: row.paused === 1 && pauseLasts,
    paused_until: pauseLasts ? toIsoTimestampOrNull(row.paused_until) : null,
    ...others,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
