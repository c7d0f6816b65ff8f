import type { Monitor } from '@floe/contract/api/monitors';
import { crontabIn, minutesIn, minutesText } from './monitor-words.ts';

/** What the editor holds: texts as they were typed. */
export interface MonitorForm {
  readonly name: string;
  readonly id: string;
  readonly kind: 'interval' | 'cron';
  readonly interval: string;
  readonly cron: string;
  readonly timezone: string;
  /** Empty: the org's. */
  readonly grace: string;
  readonly alertAfter: string;
  /** Empty: after interval and grace. */
  readonly firstDue: string;
  readonly channels: readonly string[];
  readonly tags: string;
  readonly description: string;
}

export function emptyForm(timezone: string): MonitorForm {
  return {
    name: '',
    id: '',
    kind: 'interval',
    interval: '1 h',
    cron: '0 3 * * *',
    timezone,
    grace: '',
    alertAfter: '1',
    firstDue: '',
    channels: [],
    tags: '',
    description: '',
  };
}

export function formOf(monitor: Monitor, timezone: string): MonitorForm {
  const { schedule, expected_interval_minutes: interval, first_beat_due_minutes: first } = monitor;
  return {
    ...emptyForm(schedule?.timezone ?? timezone),
    name: monitor.name,
    id: monitor.id,
    kind: schedule ? 'cron' : 'interval',
    interval: interval === null ? '1 h' : minutesText(interval),
    cron: schedule?.cron ?? '0 3 * * *',
    grace: monitor.grace_source === 'org' ? '' : minutesText(monitor.grace_period_minutes),
    alertAfter: String(monitor.alert_after_misses),
    firstDue: first === null ? '' : minutesText(first),
    channels: monitor.channels,
    tags: monitor.tags.join(', '),
    description: monitor.description,
  };
}

/** Fields whose text is no length of time or no number, with what to write instead. */
export function problemsOf(form: MonitorForm): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const lengthy = 'Write a length such as 90 min, 1.5 h or 1 d.';
  if (form.kind === 'interval' && minutesIn(form.interval) === null)
    found['expected_interval_minutes'] = lengthy;
  if (form.grace !== '' && minutesIn(form.grace) === null) found['grace_period_minutes'] = lengthy;
  if (form.firstDue !== '' && minutesIn(form.firstDue) === null) found['first_beat_due_minutes'] = lengthy;
  if (!/^[1-9]\d{0,3}$/.test(form.alertAfter.trim()))
    found['alert_after_misses'] = 'Write a number from 1 on.';
  return found;
}

/** The schedule alone, as the preview and the monitor itself take it. */
export function scheduleBody(form: MonitorForm) {
  const grace = form.grace === '' ? null : minutesIn(form.grace);
  return form.kind === 'interval'
    ? { expected_interval_minutes: minutesIn(form.interval), grace_period_minutes: grace }
    : { schedule: { cron: form.cron.trim(), timezone: form.timezone }, grace_period_minutes: grace };
}

/** What `POST` and `PATCH` take; the id is not in it. */
export function monitorBody(form: MonitorForm) {
  return {
    name: form.name.trim(),
    ...scheduleBody(form),
    alert_after_misses: Number(form.alertAfter),
    first_beat_due_minutes: form.firstDue === '' ? null : minutesIn(form.firstDue),
    channels: [...form.channels],
    tags: form.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    description: form.description,
  };
}

/** A text in the field of the cron expression: a pasted line of a crontab is taken apart. */
export function withCron(form: MonitorForm, text: string): MonitorForm {
  const found = text.trim().split(/\s+/).length > 5 || text.startsWith('CRON_TZ=') ? crontabIn(text) : null;
  if (!found) return { ...form, cron: text };
  return { ...form, cron: found.cron, timezone: found.timezone ?? form.timezone };
}

export type FieldChange = { readonly name: string; readonly from: string; readonly to: string };

/** What differs between two versions of a monitor, in words: for who has to choose. */
export function changesBetween(before: MonitorForm, after: MonitorForm): readonly FieldChange[] {
  const names: readonly (readonly [keyof MonitorForm, string])[] = [
    ['name', 'Name'],
    ['kind', 'Kind of schedule'],
    ['interval', 'Interval'],
    ['cron', 'Cron expression'],
    ['timezone', 'Time zone'],
    ['grace', 'Grace'],
    ['alertAfter', 'Alert after'],
    ['firstDue', 'First beat due'],
    ['channels', 'Channels'],
    ['tags', 'Tags'],
    ['description', 'Description'],
  ];
  return names.flatMap(([key, name]) => {
    const [from, to] = [String(before[key]), String(after[key])];
    return from === to ? [] : [{ name, from: from || 'none', to: to || 'none' }];
  });
}
