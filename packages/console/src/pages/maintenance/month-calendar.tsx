import { formatLongDate, formatShortTime, getBrowserTimeZone } from '../../format/times.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import {
  buildCalendarDays,
  type CalendarDay,
  type MaintenanceWindowOccurrence,
} from './maintenance-calendar.ts';
import { maintenanceText } from './text.ts';

/**
 * Shows the maintenance windows of a month in a calendar. Screen readers get a list of days instead of a
 * grid.
 */
export function MonthCalendar({
  month,
  occurrences,
  now,
  onOpen,
}: {
  readonly month: Date;
  readonly occurrences: readonly MaintenanceWindowOccurrence[];
  readonly now: Date;
  readonly onOpen: (id: string) => void;
}) {
  return (
    <div className="overflow-hidden rounded-card border border-line bg-line">
      <div aria-hidden="true" className="grid grid-cols-7 gap-px bg-surface text-label text-ink-2">
        {maintenanceText.month.weekdays.map((name) => (
          <span key={name} className="px-2 py-1.5">
            {name}
          </span>
        ))}
      </div>
      <ol className="grid grid-cols-7 gap-px border-t border-line">
        {buildCalendarDays(month, occurrences).map((one) => (
          <Day key={one.start.getTime()} day={one} now={now} onOpen={onOpen} />
        ))}
      </ol>
    </div>
  );
}

function Day({
  day: { start, inMonth, open },
  now,
  onOpen,
}: {
  readonly day: CalendarDay;
  readonly now: Date;
  readonly onOpen: (id: string) => void;
}) {
  const today = start.toDateString() === now.toDateString();
  return (
    <li className={joinClassNames('min-h-24 min-w-0 p-1', inMonth ? 'bg-surface' : 'bg-sunken')}>
      <span
        className={joinClassNames(
          'inline-grid h-6 min-w-6 place-items-center rounded-full px-1 text-small figures',
          today ? 'bg-accent font-semibold text-on-accent' : inMonth ? 'text-ink-2' : 'text-ink-3',
        )}
      >
        <span aria-hidden="true">{start.getDate()}</span>
        <span className="sr-only">
          {formatLongDate(start, getBrowserTimeZone())}
          {today && `, ${maintenanceText.month.today}`}
          {open.length === 0 && `, ${maintenanceText.month.noWindows}`}
        </span>
      </span>
      <ul className="mt-0.5 grid gap-0.5">
        {open.map((one) => (
          <li key={`${one.window.id} ${one.start.getTime()}`}>
            <button
              type="button"
              onClick={() => onOpen(one.window.id)}
              title={`${one.window.name}, ${timesOf(one)}`}
              className="block min-h-6 w-full truncate rounded-tag border border-maintenance-line bg-maintenance-tint px-1 text-left text-small text-maintenance-ink hover:brightness-95"
            >
              {one.start >= start && (
                <span className="figures">{formatShortTime(one.start, getBrowserTimeZone())} </span>
              )}
              {one.window.name}
            </button>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** Returns the start and end times, as in `12:00 to 14:00`. */
function timesOf({ start, end }: MaintenanceWindowOccurrence): string {
  return maintenanceText.month.times(
    formatShortTime(start, getBrowserTimeZone()),
    formatShortTime(end, getBrowserTimeZone()),
  );
}
