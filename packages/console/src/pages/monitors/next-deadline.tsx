import type { Monitor } from '@floe/contract/api/monitors';
import { formatDuration } from '../../format/amounts.ts';
import {
  browserZone,
  formatClockTime,
  formatDayLabel,
  formatRelativeTime,
  formatShortTime,
} from '../../format/times.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { useNow } from '../../ui/time-text.tsx';
import { buildDeadlineBar, type DeadlineBar } from './deadline.ts';
import { formatMinutes, formatSchedule, formatScheduleZone } from './monitor-schedule.ts';

/** From the last beat to the deadline, to scale, with now on it: interval and grace are what people get wrong. */
export function NextDeadline({ monitor }: { readonly monitor: Monitor }) {
  const now = useNow();
  const bar = buildDeadlineBar(monitor, now);
  if (!bar) return <p className="text-ui text-ink-2">{describeNothingDue(monitor)}</p>;
  const { from, due, deadline } = bar;
  const grace = formatMinutes(monitor.grace_period_minutes);
  const failing = monitor.status === 'failing';
  const said = `Last beat ${when(from, now)}, next due ${when(due, now)}, deadline ${when(deadline, now)}.`;
  return (
    <div className="text-small">
      <div className="flex justify-between gap-4">
        <DeadlinePoint
          title={monitor.last_beat_at ? 'Last beat' : 'Created'}
          text={`${formatClockTime(from, browserZone())} · ${formatRelativeTime(from, now)}`}
        />
        <DeadlinePoint
          title="Next beat due"
          text={`${when(due, now)} · ${formatRelativeTime(due, now)}`}
          end
        />
      </div>
      <DeadlineBarView bar={bar} said={said} failing={failing} />
      <div className="flex justify-between gap-4">
        <DeadlinePoint
          title={formatSchedule(monitor)}
          text={monitor.schedule ? formatScheduleZone(monitor.schedule) : 'counted from the last beat'}
        />
        <DeadlinePoint
          title={`Deadline ${when(deadline, now)}`}
          text={
            bar.overdue === 'past' && failing
              ? `missed ${formatDuration(now.getTime() - deadline.getTime())} ago`
              : monitor.grace_period_minutes === 0
                ? 'no grace'
                : `${grace} grace, then failing`
          }
          end
        />
      </div>
    </div>
  );
}

function DeadlinePoint({
  title,
  text,
  end = false,
}: {
  readonly title: string;
  readonly text: string;
  readonly end?: boolean;
}) {
  return (
    <div className={joinClassNames('min-w-0', end && 'text-right')}>
      <div className="font-semibold text-ink first-letter:uppercase">{title}</div>
      <div className="text-ink-2 figures">{text}</div>
    </div>
  );
}

function DeadlineBarView({
  bar,
  said,
  failing,
}: {
  readonly bar: DeadlineBar;
  readonly said: string;
  readonly failing: boolean;
}) {
  const percent = (share: number) => `${(share * 100).toFixed(2)}%`;
  const { now, dueAt, deadlineAt } = bar;
  return (
    <div role="img" aria-label={said} className="relative my-3 h-3">
      <div className="absolute inset-y-0 left-0 w-full rounded-tag border border-line bg-sunken" />
      <div
        style={{ left: percent(dueAt), width: percent(deadlineAt - dueAt) }}
        className="absolute inset-y-0 min-w-1 border-x border-ink-3 bg-warning-tint bg-[repeating-linear-gradient(-45deg,var(--color-warning)_0_1.5px,transparent_1.5px_6px)]"
      />
      <div
        style={{ left: percent(deadlineAt) }}
        className="absolute inset-y-0 right-0 rounded-r-tag border border-failing-line bg-failing-tint"
      />
      <div
        style={{ width: percent(Math.min(now, dueAt)) }}
        className={joinClassNames(
          'absolute inset-y-0 left-0 rounded-l-tag',
          failing ? 'bg-failing' : 'bg-healthy',
        )}
      />
      <div
        style={{ left: percent(now) }}
        className={joinClassNames(
          'absolute top-1/2 size-4 -translate-1/2 rounded-full border-2 bg-surface',
          failing ? 'border-failing-ink' : 'border-healthy-ink',
        )}
      />
    </div>
  );
}

/** `03:12`, with the day when it is another one. */
function when(at: Date, now: Date): string {
  const zone = browserZone();
  const near = formatDayLabel(at, zone, now) === formatDayLabel(now, zone, now);
  return near ? formatShortTime(at, zone) : `${formatDayLabel(at, zone, now)}, ${formatShortTime(at, zone)}`;
}

function describeNothingDue({ status, paused_until, first_beat_due_minutes }: Monitor): string {
  if (status === 'paused')
    return `Paused${paused_until ? ` until ${when(new Date(paused_until), new Date())}` : ''}. Beats are still recorded; nothing is missed.`;
  return first_beat_due_minutes === null
    ? 'Nothing is counted before the first beat.'
    : `The first beat is due ${formatMinutes(first_beat_due_minutes)} after it was made.`;
}
