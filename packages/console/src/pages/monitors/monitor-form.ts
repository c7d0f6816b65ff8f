import type { Monitor } from '@floe/contract/api/monitors';
import { ApiError } from '../../data/api-error.ts';
import { parseListInput } from '../../format/list-input.ts';
import { formatMinutes, parseMinutes } from '../../format/minutes.ts';
import { monitorEditorText } from './monitor-editor-text.ts';
import { deriveMonitorId, parseCrontabLine } from './monitor-schedule.ts';

/** The form values of a monitor, as the user typed them. */
export interface MonitorFormValues {
  readonly name: string;
  readonly id: string;
  readonly kind: 'interval' | 'cron';
  readonly interval: string;
  readonly cron: string;
  /** Time zone of the cron expression. Empty means the organization default. */
  readonly timezone: string;
  /** Grace period. Empty means the organization default. */
  readonly grace: string;
  readonly alertAfter: string;
  /** Whether a failure that the job reports counts as one miss. */
  readonly failIsMiss: boolean;
  /** Time until the first beat is due. Empty means the first expected time plus the grace period. */
  readonly firstDue: string;
  readonly channels: readonly string[];
  readonly tags: string;
  readonly description: string;
}

/** Returns the initial form values of a new monitor. */
export function createMonitorFormValues(timezone: string): MonitorFormValues {
  return {
    name: '',
    id: '',
    kind: 'interval',
    interval: '1 h',
    cron: '0 3 * * *',
    timezone,
    grace: '',
    alertAfter: '1',
    failIsMiss: false,
    firstDue: '',
    channels: [],
    tags: '',
    description: '',
  };
}

/**
 * Converts a monitor to form values.
 * @param timezone The time zone to show if the monitor has no cron schedule.
 */
export function toMonitorFormValues(monitor: Monitor, timezone: string): MonitorFormValues {
  const { schedule, expected_interval_minutes: interval, first_beat_due_minutes: first } = monitor;
  return {
    ...createMonitorFormValues(schedule ? (schedule.timezone ?? '') : timezone),
    name: monitor.name,
    id: monitor.id,
    kind: schedule ? 'cron' : 'interval',
    interval: interval === null ? '1 h' : formatMinutes(interval),
    cron: schedule?.cron ?? '0 3 * * *',
    grace: monitor.grace_source === 'org' ? '' : formatMinutes(monitor.grace_period_minutes),
    alertAfter: String(monitor.alert_after_misses),
    failIsMiss: monitor.fail_counts_as_miss,
    firstDue: first === null ? '' : formatMinutes(first),
    channels: monitor.channels,
    tags: monitor.tags.join(', '),
    description: monitor.description,
  };
}

/** Returns the first invalid field with a message, or null if all fields are valid. */
function validateMonitorForm(
  form: MonitorFormValues,
): { readonly param: string; readonly message: string } | null {
  const { kind, interval, grace, firstDue, alertAfter } = form;
  if (kind === 'interval' && parseMinutes(interval) === null)
    return { param: 'expected_interval_minutes', message: monitorEditorText.durationInvalid };
  if (grace !== '' && parseMinutes(grace) === null)
    return { param: 'grace_period_minutes', message: monitorEditorText.durationInvalid };
  if (firstDue !== '' && parseMinutes(firstDue) === null)
    return { param: 'first_beat_due_minutes', message: monitorEditorText.durationInvalid };
  return /^[1-9]\d*$/.test(alertAfter.trim())
    ? null
    : { param: 'alert_after_misses', message: monitorEditorText.alertAfterInvalid };
}

/** Converts the schedule fields to a part of the request body. The schedule preview sends only this part. */
export function toScheduleBody(form: MonitorFormValues) {
  const grace = form.grace === '' ? null : parseMinutes(form.grace);
  return form.kind === 'interval'
    ? { expected_interval_minutes: parseMinutes(form.interval), grace_period_minutes: grace }
    : { schedule: toCronScheduleBody(form), grace_period_minutes: grace };
}

/**
 * Converts the schedule fields to the body of a schedule preview. An interval is counted from the last beat, unless
 * the next beat would already be overdue.
 */
export function toSchedulePreviewBody(form: MonitorFormValues, lastBeatAt: string | null, now: Date) {
  const body = toScheduleBody(form);
  const interval = form.kind === 'interval' ? parseMinutes(form.interval) : null;
  if (lastBeatAt === null || interval === null) return body;
  const isOverdue = Date.parse(lastBeatAt) + interval * 60_000 <= now.getTime();
  return isOverdue ? body : { ...body, from: lastBeatAt };
}

/**
 * Returns the cron schedule for the request body. Without a time zone, the organization’s time zone applies.
 */
export function toCronScheduleBody({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  return { cron: cron.trim(), ...(timezone === '' ? {} : { timezone }) };
}

/**
 * Converts the form to the body of an update.
 * @param before the monitor before the change
 * @throws ApiError that names the invalid field
 */
export function toMonitorUpdateBody(form: MonitorFormValues, before?: Pick<Monitor, 'tags'>) {
  const problem = validateMonitorForm(form);
  if (problem) throw new ApiError({ status: 0, code: 'invalid', ...problem });
  return {
    name: form.name.trim(),
    ...toScheduleBody(form),
    alert_after_misses: Number(form.alertAfter),
    fail_counts_as_miss: form.failIsMiss,
    first_beat_due_minutes: form.firstDue === '' ? null : parseMinutes(form.firstDue),
    channels: [...form.channels],
    tags: parseListInput(form.tags, before?.tags),
    description: form.description,
  };
}

/**
 * Converts the form to the body of a create request, which includes the ID if there is one.
 * @throws ApiError that names the invalid field
 */
export function toMonitorBody(form: MonitorFormValues) {
  const id = form.id || deriveMonitorId(form.name);
  // A name without Latin letters or digits gives no ID. The API then generates one.
  return { ...toMonitorUpdateBody(form), ...(id !== '' && { id }) };
}

/**
 * Returns the form after text was entered in the cron field. A pasted crontab line can also set the time
 * zone.
 */
export function applyCronInput(form: MonitorFormValues, text: string): MonitorFormValues {
  const words = text.trim().split(/\s+/);
  const isLine = words.length > 5 || /^(?:CRON_TZ=|@\w+ )/.test(words.join(' '));
  const found = isLine ? parseCrontabLine(text) : null;
  if (!found) return { ...form, cron: text };
  return { ...form, cron: found.cron, timezone: found.timezone ?? form.timezone };
}
