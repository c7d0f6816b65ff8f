import type { Monitor } from '@floe/contract/api/monitors';
import { ApiError } from '../../data/api-error.ts';
import { parseList } from '../../format/words.ts';
import { formatMinutes, monitorIdFromName, parseCrontabLine, parseMinutes } from './monitor-schedule.ts';

/** What the editor holds: texts as they were typed. */
export interface MonitorForm {
  readonly name: string;
  readonly id: string;
  readonly kind: 'interval' | 'cron';
  readonly interval: string;
  readonly cron: string;
  /** Of the cron expression. Empty: the org's. */
  readonly timezone: string;
  /** Empty: the org's. */
  readonly grace: string;
  readonly alertAfter: string;
  /** A failure that the job reports is one miss. */
  readonly failIsMiss: boolean;
  /** Empty: after interval and grace. */
  readonly firstDue: string;
  readonly channels: readonly string[];
  readonly tags: string;
  readonly description: string;
}

export function emptyMonitorForm(timezone: string): MonitorForm {
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

/** @param timezone what a schedule begins with, of a monitor that has none */
export function monitorFormOf(monitor: Monitor, timezone: string): MonitorForm {
  const { schedule, expected_interval_minutes: interval, first_beat_due_minutes: first } = monitor;
  return {
    ...emptyMonitorForm(schedule ? (schedule.timezone ?? '') : timezone),
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

const LENGTH = 'Write a length such as 90 min, 1.5 h or 1 d.';

/** The first field whose text is no length of time or no number, with what to write instead; null for none. */
function validateMonitorForm(form: MonitorForm): { readonly param: string; readonly message: string } | null {
  const { kind, interval, grace, firstDue, alertAfter } = form;
  if (kind === 'interval' && parseMinutes(interval) === null)
    return { param: 'expected_interval_minutes', message: LENGTH };
  if (grace !== '' && parseMinutes(grace) === null) return { param: 'grace_period_minutes', message: LENGTH };
  if (firstDue !== '' && parseMinutes(firstDue) === null)
    return { param: 'first_beat_due_minutes', message: LENGTH };
  return /^[1-9]\d{0,3}$/.test(alertAfter.trim())
    ? null
    : { param: 'alert_after_misses', message: 'Write a number from 1 on.' };
}

/** The schedule alone, as the preview and the monitor itself take it. */
export function scheduleBody(form: MonitorForm) {
  const grace = form.grace === '' ? null : parseMinutes(form.grace);
  return form.kind === 'interval'
    ? { expected_interval_minutes: parseMinutes(form.interval), grace_period_minutes: grace }
    : { schedule: cronScheduleBody(form), grace_period_minutes: grace };
}

/** When a cron expression runs: without a zone of its own in that of the org. */
export function cronScheduleBody({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  return { cron: cron.trim(), ...(timezone === '' ? {} : { timezone }) };
}

/** What a change takes. @throws ApiError naming the field that cannot be read */
export function monitorChange(form: MonitorForm) {
  const problem = validateMonitorForm(form);
  if (problem) throw new ApiError({ status: 0, code: 'invalid', ...problem });
  return {
    name: form.name.trim(),
    ...scheduleBody(form),
    alert_after_misses: Number(form.alertAfter),
    fail_counts_as_miss: form.failIsMiss,
    first_beat_due_minutes: form.firstDue === '' ? null : parseMinutes(form.firstDue),
    channels: [...form.channels],
    tags: parseList(form.tags),
    description: form.description,
  };
}

/** What a new one takes: with its id, which never changes. @throws ApiError as a change does */
export function monitorBody(form: MonitorForm) {
  return { ...monitorChange(form), id: form.id || monitorIdFromName(form.name) };
}

/** A text in the field of the cron expression: a pasted line of a crontab is taken apart. */
export function withCronInput(form: MonitorForm, text: string): MonitorForm {
  const found =
    text.trim().split(/\s+/).length > 5 || text.startsWith('CRON_TZ=') ? parseCrontabLine(text) : null;
  if (!found) return { ...form, cron: text };
  return { ...form, cron: found.cron, timezone: found.timezone ?? form.timezone };
}
