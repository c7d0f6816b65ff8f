import type { MaintenanceWindow } from '@floe/contract/api/maintenance';

/** One time a window is open. */
export interface WindowOccurrence {
  readonly window: MaintenanceWindow;
  readonly start: Date;
  readonly end: Date;
}

/** What is known of when windows are open: that of windows without a schedule, and the next of the others. */
export function maintenanceOccurrences(windows: readonly MaintenanceWindow[]): readonly WindowOccurrence[] {
  return windows
    .flatMap((window) => {
      const { schedule, starts_at, ends_at, next } = window;
      const times =
        schedule === null && starts_at !== null && ends_at !== null ? [{ starts_at, ends_at }] : next;
      return times.map((time) => ({ window, start: new Date(time.starts_at), end: new Date(time.ends_at) }));
    })
    .sort((one, other) => one.start.getTime() - other.start.getTime());
}

/** A day of the browser's calendar with what is open on it. */
export interface CalendarDay {
  readonly start: Date;
  readonly inMonth: boolean;
  readonly open: readonly WindowOccurrence[];
}

/** The weeks that hold a month, Monday first, each day with its windows. @param month first day of it */
export function buildMonth(month: Date, occurrences: readonly WindowOccurrence[]): readonly CalendarDay[] {
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

/** `2026-11` of a link to the month it means; the month of now without one. */
export function parseMonth(text: string | null, now: Date): Date {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text ?? '') ?? [];
  return year === undefined
    ? new Date(now.getFullYear(), now.getMonth(), 1)
    : new Date(Number(year), Number(month) - 1, 1);
}

/** The other way round, some months on. */
export function formatMonthParameter(month: Date, further = 0): string {
  const to = new Date(month.getFullYear(), month.getMonth() + further, 1);
  return `${to.getFullYear()}-${String(to.getMonth() + 1).padStart(2, '0')}`;
}
