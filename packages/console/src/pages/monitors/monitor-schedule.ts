import type { Monitor } from '@floe/contract/api/monitors';
import { formatDuration } from '../../format/amounts.ts';
import { durationInputMs, toDurationInput } from '../../format/duration-input.ts';
import { joinWithAnd } from '../../format/words.ts';

const MINUTE = 60_000;

/** `90m`, `1.5 h`, `1d`, `30 s` or plain minutes, to minutes; null for anything else. */
export function parseMinutes(text: string): number | null {
  const length = toDurationInput(text, 'm');
  return length && Math.round((durationInputMs(length) / MINUTE) * 1e6) / 1e6;
}

/** Minutes as people say them: `24 h`, `90 min`, `1 h 30 m`. */
export function formatMinutes(minutes: number): string {
  if (minutes === 0) return '0 min';
  if (minutes < 1) return `${Math.round(minutes * 60)} s`;
  if (minutes < 120 && minutes % 60 !== 0) return `${Number(minutes.toFixed(2))} min`;
  if (minutes % 1440 === 0 && minutes > 1440) return `${minutes / 1440} d`;
  if (minutes % 60 === 0 && minutes <= 2880) return `${minutes / 60} h`;
  return formatDuration(minutes * MINUTE);
}

type Scheduled = Pick<Monitor, 'expected_interval_minutes' | 'schedule'>;

/** `every 24 h`, or the cron expression. */
export function formatSchedule({ expected_interval_minutes: minutes, schedule }: Scheduled): string {
  return schedule ? `cron ${schedule.cron}` : `every ${formatMinutes(minutes ?? 0)}`;
}

/** The zone of a schedule: it has its own, or the org's. */
export function formatScheduleZone({ timezone }: { readonly timezone?: string | undefined }): string {
  return timezone ?? 'the org’s zone';
}

/** `every 24 h + 30 min` */
export function formatScheduleWithGrace(monitor: Scheduled & Pick<Monitor, 'grace_period_minutes'>): string {
  const grace = monitor.grace_period_minutes;
  return `${formatSchedule(monitor)}${grace > 0 ? ` + ${formatMinutes(grace)}` : ''}`;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * The usual cron expressions as a sentence; null for the rest, which only their next runs explain. When they run is
 * always the server's own answer, never this.
 */
export function describeCron(cron: string): string | null {
  const named: Readonly<Record<string, string>> = {
    '@hourly': '0 * * * *',
    '@daily': '0 0 * * *',
    '@midnight': '0 0 * * *',
    '@weekly': '0 0 * * 0',
    '@monthly': '0 0 1 * *',
  };
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...rest] = (named[cron.trim()] ?? cron)
    .trim()
    .split(/\s+/);
  if (rest.length > 0 || month !== '*' || weekday === '') return null;
  const when = describeCronDays(day, weekday);
  if (when === null) return null;
  const each = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (hour === '*' && (each !== undefined || minute === '*')) {
    const every = Number(each ?? 1);
    return `Every ${every === 1 ? 'minute' : `${every} minutes`}${when === 'every day' ? '' : `, ${when}`}`;
  }
  if (!/^\d+$/.test(minute)) return null;
  if (hour === '*')
    return `Every hour at :${minute.padStart(2, '0')}${when === 'every day' ? '' : `, ${when}`}`;
  const hours = hour.split(',');
  if (!hours.every((one) => /^\d+$/.test(one))) return null;
  const times = hours.map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`);
  return `At ${joinWithAnd(times)}, ${when}`;
}

function describeCronDays(day: string, weekday: string): string | null {
  if (day !== '*' && weekday !== '*') return null;
  if (day === '*' && weekday === '*') return 'every day';
  if (weekday === '*') {
    const days = day.split(',');
    return days.every((one) => /^\d+$/.test(one)) ? `on day ${joinWithAnd(days)} of the month` : null;
  }
  const numbers = weekday.toLowerCase().split(',').map(parseWeekday);
  const [range] = /^([a-z\d]+)-([a-z\d]+)$/i.exec(weekday) ?? [];
  if (range !== undefined) {
    const [from, to] = range.toLowerCase().split('-').map(parseWeekday);
    return from == null || to == null ? null : `${DAYS[from % 7]} to ${DAYS[to % 7]}`;
  }
  if (numbers.some((one) => one === null)) return null;
  return `every ${joinWithAnd(numbers.map((one) => DAYS[(one ?? 0) % 7] ?? ''))}`;
}

function parseWeekday(text: string): number | null {
  if (/^[0-7]$/.test(text)) return Number(text);
  const found = DAYS.findIndex((name) => name.toLowerCase().startsWith(text) && text.length === 3);
  return found < 0 ? null : found;
}

/** A pasted line of a crontab: its five fields, and the zone a `CRON_TZ=` before them names. Null when it is none. */
export function parseCrontabLine(
  text: string,
): { readonly cron: string; readonly timezone: string | null } | null {
  const [, zone, line = ''] = /^\s*(?:CRON_TZ=(\S+)\s+)?(.+?)\s*$/s.exec(text) ?? [];
  const [macro] = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)\b/.exec(line) ?? [];
  if (macro) return { cron: macro, timezone: zone ?? null };
  const fields = line.split(/\s+/);
  const isField = (field: string) => /^[\dA-Za-z*/,?#-]+$/.test(field) && /[\d*]|^[a-z]{3}/i.test(field);
  const five = fields.slice(0, 5);
  if (five.length < 5 || !five.every(isField)) return null;
  return { cron: five.join(' '), timezone: zone ?? null };
}

/** What a name would be as an id: lower-case letters, digits and dashes. */
export function monitorIdFromName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}
