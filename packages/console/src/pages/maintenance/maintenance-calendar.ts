import type { MaintenanceWindow } from '@floe/contract/api/maintenance';

/** One occurrence of a maintenance window, with its start and end. */
export interface MaintenanceWindowOccurrence {
  readonly window: MaintenanceWindow;
  readonly start: Date;
  readonly end: Date;
}

/**
 * Returns the occurrence of each one-time window, and the next occurrences of each recurring window that the
 * API lists, in order of their start.
 */
export function listMaintenanceOccurrences(
  windows: readonly MaintenanceWindow[],
): readonly MaintenanceWindowOccurrence[] {
  return windows
    .flatMap((window) => {
      const { schedule, starts_at, ends_at, next } = window;
      const times =
        schedule === null && starts_at !== null && ends_at !== null ? [{ starts_at, ends_at }] : next;
      return times.map((time) => ({ window, start: new Date(time.starts_at), end: new Date(time.ends_at) }));
    })
    .sort((one, other) => one.start.getTime() - other.start.getTime());
}

/** A day in the time zone of the browser, with the maintenance windows on that day. */
export interface CalendarDay {
  readonly start: Date;
  readonly inMonth: boolean;
  readonly open: readonly MaintenanceWindowOccurrence[];
}

/**
 * Returns all days of the weeks that contain the month, with the maintenance windows on each day. Weeks start
 * on Monday.
 * @param month The first day of the month.
 */
export function buildCalendarDays(
  month: Date,
  occurrences: readonly MaintenanceWindowOccurrence[],
): readonly CalendarDay[] {
  const year = month.getFullYear();
  const index = month.getMonth();
  const before = (new Date(year, index, 1).getDay() + 6) % 7;
  const length = new Date(year, index + 1, 0).getDate();
  const cells = Math.ceil((before + length) / 7) * 7;
  return Array.from({ length: cells }, (_, cell) => {
    const start = new Date(year, index, cell - before + 1);
    const end = new Date(year, index, cell - before + 2);
    return {
      start,
      inMonth: start.getMonth() === index,
      open: occurrences.filter((one) => one.start < end && one.end > start),
    };
  });
}

/**
 * Parses a month such as `2026-11` from the URL. Returns the current month if the text is absent or invalid.
 */
export function parseMonth(text: string | null, now: Date): Date {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text ?? '') ?? [];
  return year === undefined
    ? new Date(now.getFullYear(), now.getMonth(), 1)
    : new Date(Number(year), Number(month) - 1, 1);
}

/** Formats a month for the URL, such as `2026-11`, after adding `addedMonths`. */
export function formatMonthParameter(month: Date, addedMonths = 0): string {
  const to = new Date(month.getFullYear(), month.getMonth() + addedMonths, 1);
  return `${to.getFullYear()}-${String(to.getMonth() + 1).padStart(2, '0')}`;
}
