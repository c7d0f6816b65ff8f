import type { Monitor } from '@floe/contract/api/monitors';
import { formatMinutes } from '../../format/minutes.ts';
import { scheduleText } from './text.ts';

type Scheduled = Pick<Monitor, 'expected_interval_minutes' | 'schedule'>;

/** Describes a schedule: an interval as in `every 24 h`, or the cron expression. */
export function formatSchedule({ expected_interval_minutes: minutes, schedule }: Scheduled): string {
  return schedule ? scheduleText.cron(schedule.cron) : scheduleText.every(formatMinutes(minutes ?? 0));
}

/**
 * Returns the time zone of a schedule. If it is not set, returns a text that refers to the organization’s time
 * zone.
 */
export function formatScheduleTimeZone({ timezone }: { readonly timezone?: string | undefined }): string {
  return timezone ?? scheduleText.orgZone;
}

/** Describes a schedule and its grace period, as in `every 24 h, grace 30 min`. */
export function formatScheduleWithGrace(monitor: Scheduled & Pick<Monitor, 'grace_period_minutes'>): string {
  const grace = monitor.grace_period_minutes;
  return `${formatSchedule(monitor)}${grace > 0 ? scheduleText.grace(formatMinutes(grace)) : ''}`;
}

const { days: DAYS, everyDay } = scheduleText;

/**
 * Describes a common cron expression in words. Returns null for other expressions. Does not compute times,
 * because the server does.
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
  const suffix = when === everyDay ? '' : `, ${when}`;
  const each = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (hour === '*' && (each !== undefined || minute === '*')) {
    const every = Number(each ?? 1);
    if (60 % every !== 0) return null;
    return `${scheduleText.everyMinutes(every)}${suffix}`;
  }
  if (!/^\d+$/.test(minute)) return null;
  if (hour === '*') return `${scheduleText.hourlyAt(minute.padStart(2, '0'))}${suffix}`;
  const hours = hour.split(',');
  if (!hours.every((one) => /^\d+$/.test(one))) return null;
  const times = hours.map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`);
  return `${scheduleText.atTimes(times)}, ${when}`;
}

function describeCronDays(day: string, weekday: string): string | null {
  if (day !== '*' && weekday !== '*') return null;
  if (day === '*' && weekday === '*') return everyDay;
  if (weekday === '*') {
    const days = day.split(',');
    return days.every((one) => /^\d+$/.test(one)) ? scheduleText.monthDays(days) : null;
  }
  const numbers = weekday.toLowerCase().split(',').map(parseWeekday);
  const [range] = /^([a-z\d]+)-([a-z\d]+)$/i.exec(weekday) ?? [];
  if (range !== undefined) {
    const [from, to] = range.toLowerCase().split('-').map(parseWeekday);
    return from == null || to == null
      ? null
      : scheduleText.dayRange(DAYS[from % 7] ?? '', DAYS[to % 7] ?? '');
  }
  if (numbers.some((one) => one === null)) return null;
  return scheduleText.everyWeekday(numbers.map((one) => DAYS[(one ?? 0) % 7] ?? ''));
}

function parseWeekday(text: string): number | null {
  if (/^[0-7]$/.test(text)) return Number(text);
  const found = DAYS.findIndex((name) => name.toLowerCase().startsWith(text) && text.length === 3);
  return found < 0 ? null : found;
}

/**
 * Parses a crontab line: its five fields and the time zone of a `CRON_TZ=` prefix. Returns null for other
 * text. If the text is an expression with six fields, returns all of them.
 */
export function parseCrontabLine(
  input: string,
): { readonly cron: string; readonly timezone: string | null } | null {
  const [, zone, line = ''] = /^\s*(?:CRON_TZ=(\S+)\s+)?(.+?)\s*$/s.exec(input) ?? [];
  const [macro] = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)\b/.exec(line) ?? [];
  if (macro) return { cron: macro, timezone: zone ?? null };
  const fields = line.split(/\s+/);
  const isField = (field: string) => /^[\dA-Za-z*/,?#-]+$/.test(field) && /[\d*]|^[a-z]{3}/i.test(field);
  const five = fields.slice(0, 5);
  if (five.length < 5 || !five.every(isField)) return null;
  const hasSeconds = fields.length === 6 && WEEKDAY_FIELD.test(fields[5] ?? '');
  return { cron: (hasSeconds ? fields : five).join(' '), timezone: zone ?? null };
}

const WEEKDAY_FIELD = /^(?:[\d*?/,#L-]|sun|mon|tue|wed|thu|fri|sat)+$/i;

/** Derives a monitor ID from a name. The ID contains lowercase letters, digits and hyphens. */
export function deriveMonitorId(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}
