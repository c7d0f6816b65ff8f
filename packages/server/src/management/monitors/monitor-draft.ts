import { MonitorSchema } from '@floe/contract/config/monitoring';
import { Fault } from '@floe/contract/faults';
import { definitionOf, type MonitorDefinition } from '../../monitoring/definition.ts';
import type { MonitorRow } from '../../store/monitoring/definitions.ts';
import { validate } from '../input.ts';
import { minutesOf, READ_ONLY, settingsOf } from './monitor-answer.ts';
import { isoOrNull } from './monitoring-host.ts';

export type MonitorFields = Readonly<Record<string, unknown>>;

/**
 * The whole monitor that a request means: `fields` over `current`, absent ones stay, null clears. Of interval and
 * schedule, giving one takes the other away; a pause that is lifted loses its end.
 *
 * @throws Fault `invalid_request` with `param`, as floe.yaml would refuse it
 */
export function monitorDraft(
  fields: MonitorFields,
  current: MonitorFields,
  timezone: string,
): MonitorDefinition {
  const merged: Record<string, unknown> = { ...current };
  const given = Object.entries(fields).filter(([name, value]) => value !== undefined && !READ_ONLY.has(name));
  const means = (name: string) => fields[name] !== undefined && fields[name] !== null;
  if (means('schedule')) delete merged['expected_interval_minutes'];
  if (means('expected_interval_minutes')) delete merged['schedule'];
  if (fields['paused'] !== undefined) delete merged['paused_until'];
  for (const [name, value] of given)
    if (value === null) delete merged[name];
    else merged[name] = value;
  if (fields['paused'] === false && means('paused_until'))
    throw new Fault('invalid_request', 'paused_until: means a pause, so paused cannot be false', {
      param: 'paused_until',
    });
  return definitionOf(validate(MonitorSchema, merged), timezone);
}

/** A stored monitor in the form of floe.yaml. */
export function monitorConfig(row: MonitorRow, nowMs: number): MonitorFields {
  const pauseLasts = row.paused_until === null || row.paused_until > nowMs;
  const { name, description, expected_interval_minutes, schedule, tags, channels, ...others } =
    settingsOf(row);
  const fields = {
    id: row.id,
    name,
    description,
    expected_interval_minutes,
    schedule,
    grace_period_minutes: minutesOf(row.grace_ms),
    tags,
    channels,
    paused: row.paused === 1 && pauseLasts,
    paused_until: pauseLasts ? isoOrNull(row.paused_until) : null,
    ...others,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
