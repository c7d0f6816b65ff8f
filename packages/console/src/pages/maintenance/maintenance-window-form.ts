import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import { pickChangedFields } from '../../data/pick-changed-fields.ts';
import { parseListInput } from '../../format/list-input.ts';
import { formatMinutes, parseMinutes } from '../../format/minutes.ts';
import { toCronScheduleBody } from '../monitors/monitor-form.ts';
import { maintenanceText } from './text.ts';

/** The form values of a maintenance window. */
export interface MaintenanceWindowFormValues {
  readonly name: string;
  readonly kind: 'once' | 'repeats';
  /** The start in the format of `datetime-local`, in the browser’s time zone. */
  readonly start: string;
  readonly length: string;
  readonly cron: string;
  /** Time zone. Empty means the organization default. */
  readonly timezone: string;
  readonly monitors: readonly string[];
  readonly tags: string;
  readonly onBoards: boolean;
}

/** Returns the initial form values of a new window. The window starts at the next full hour. */
export function createMaintenanceWindowFormValues(now: Date, timezone: string): MaintenanceWindowFormValues {
  const start = new Date(Math.ceil(now.getTime() / 3_600_000) * 3_600_000);
  return {
    name: '',
    kind: 'once',
    start: formatLocalDateTime(start),
    length: '2 h',
    cron: '0 2 * * 0',
    timezone,
    monitors: [],
    tags: '',
    onBoards: false,
  };
}

/** Converts a maintenance window to form values. `timezone` is used if the window has no time zone. */
export function toMaintenanceWindowFormValues(
  window: MaintenanceWindow,
  timezone: string,
): MaintenanceWindowFormValues {
  const { starts_at: start, ends_at: end, schedule, duration_minutes: length } = window;
  const minutes = start && end ? (new Date(end).getTime() - new Date(start).getTime()) / 60_000 : 120;
  return {
    name: window.name,
    kind: schedule ? 'repeats' : 'once',
    start: formatLocalDateTime(new Date(start ?? Date.now())),
    length: formatMinutes(schedule ? (length ?? 120) : minutes),
    cron: schedule?.cron ?? '0 2 * * 0',
    timezone: schedule ? (schedule.timezone ?? '') : timezone,
    monitors: window.monitors,
    tags: window.tags.join(', '),
    onBoards: window.show_on_boards,
  };
}

/** Returns the problems of the form that can be found without the server, as messages by field. */
export function validateMaintenanceWindowForm(
  form: MaintenanceWindowFormValues,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  if (form.name.trim() === '') found['name'] = maintenanceText.dialog.nameMissing;
  if (parseMinutes(form.length) === null) found['duration_minutes'] = maintenanceText.dialog.durationInvalid;
  if (form.kind === 'once' && Number.isNaN(new Date(form.start).getTime()))
    found['starts_at'] = maintenanceText.dialog.startMissing;
  return found;
}

/**
 * Converts the form to the request body. Sets the fields of the other recurrence type to null. Keeps values
 * that the form does not show: the seconds of a start that was not edited, and the start and end of a recurring
 * window.
 * @param before The window before the change. Null for a new window.
 */
export function toMaintenanceWindowBody(form: MaintenanceWindowFormValues, before: MaintenanceWindow | null) {
  return {
    name: form.name.trim(),
    ...(form.kind === 'once' ? toSingleTimes(form, before) : toRepeatingTimes(form, before)),
    monitors: [...form.monitors],
    tags: parseListInput(form.tags, before?.tags),
    show_on_boards: form.onBoards,
  };
}

const TIME_FIELDS: ReadonlySet<string> = new Set(['starts_at', 'ends_at', 'schedule', 'duration_minutes']);

/**
 * Converts the form to the body of an update. Contains only fields that the user changed, so that another member's
 * change of other fields is kept. The fields of the time depend on each other, so they are sent together.
 *
 * @param before the window when the form was opened
 */
export function toMaintenanceWindowPatch(
  form: MaintenanceWindowFormValues,
  before: MaintenanceWindow,
): Readonly<Record<string, unknown>> {
  const old = toMaintenanceWindowBody(toMaintenanceWindowFormValues(before, form.timezone), before);
  const body = toMaintenanceWindowBody(form, before);
  const changed = pickChangedFields(body, old);
  const isMoved = Object.keys(changed).some((name) => TIME_FIELDS.has(name));
  return isMoved ? { ...changed, ...pickTimeFields(body) } : changed;
}

function pickTimeFields(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => TIME_FIELDS.has(name)));
}

function toSingleTimes({ start, length }: MaintenanceWindowFormValues, before: MaintenanceWindow | null) {
  const earlier = before?.starts_at == null ? null : new Date(before.starts_at);
  const isKept = earlier !== null && formatLocalDateTime(earlier) === start;
  const startsAt = isKept ? earlier : new Date(start);
  const endsAt = new Date(startsAt.getTime() + (parseMinutes(length) ?? 0) * 60_000);
  return {
    starts_at: startsAt.toISOString(),
    ends_at: endsAt.toISOString(),
    schedule: null,
    duration_minutes: null,
  };
}

function toRepeatingTimes(form: MaintenanceWindowFormValues, before: MaintenanceWindow | null) {
  const { starts_at = null, ends_at = null } = before?.schedule ? before : {};
  return {
    starts_at,
    ends_at,
    schedule: toCronScheduleBody(form),
    duration_minutes: parseMinutes(form.length) ?? 0,
  };
}

function formatLocalDateTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
