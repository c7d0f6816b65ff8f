import type { Monitor } from '@floe/contract/api/monitors';
import { formatDuration } from '../../format/amounts.ts';
import { formatMinutes } from '../../format/minutes.ts';
import {
  formatClockTime,
  formatRelativeTime,
  formatTimeOrDateTime,
  getBrowserTimeZone,
} from '../../format/times.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { useNow } from '../../ui/relative-time-text.tsx';
import { computeDeadlineBarPositions, type DeadlineBarPositions } from './deadline.ts';
import { monitorDetailText } from './monitor-detail-text.ts';
import { formatSchedule, formatScheduleTimeZone } from './monitor-schedule.ts';

/** Shows a timeline from the last beat to the deadline. A marker shows the current time. */
export function NextDeadline({ monitor }: { readonly monitor: Monitor }) {
  const now = useNow();
  const bar = computeDeadlineBarPositions(monitor, now);
  if (!bar) return <p className="text-ui text-ink-2">{describeNothingDue(monitor, now)}</p>;
  const { from, due, deadline } = bar;
  const grace = formatMinutes(monitor.grace_period_minutes);
  const failing = monitor.status === 'failing';
  const time = (at: Date) => formatTimeOrDateTime(at, getBrowserTimeZone(), now);
  const summary = monitorDetailText.deadline.summary(time(from), time(due), time(deadline));
  return (
    <div className="text-small">
      <div className="flex justify-between gap-4">
        <DeadlinePoint
          title={
            monitor.last_beat_at ? monitorDetailText.deadline.lastBeat : monitorDetailText.deadline.created
          }
          text={`${formatClockTime(from, getBrowserTimeZone())} · ${formatRelativeTime(from, now)}`}
        />
        <DeadlinePoint
          title={monitorDetailText.deadline.nextDue}
          text={`${time(due)} · ${formatRelativeTime(due, now)}`}
          end
        />
      </div>
      <DeadlineBarView bar={bar} summary={summary} failing={failing} />
      <div className="flex justify-between gap-4">
        <DeadlinePoint
          title={formatSchedule(monitor)}
          text={
            monitor.schedule
              ? formatScheduleTimeZone(monitor.schedule)
              : isCountedFromBeat(monitor)
                ? monitorDetailText.deadline.fromLastBeat
                : monitorDetailText.deadline.fromLastDeadline
          }
        />
        <DeadlinePoint
          title={monitorDetailText.deadline.at(time(deadline))}
          text={
            bar.overdue === 'past' && failing
              ? monitorDetailText.deadline.missed(formatDuration(now.getTime() - deadline.getTime()))
              : monitor.grace_period_minutes === 0
                ? monitorDetailText.deadline.noGrace
                : monitorDetailText.deadline.grace(grace)
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
  summary,
  failing,
}: {
  readonly bar: DeadlineBarPositions;
  readonly summary: string;
  readonly failing: boolean;
}) {
  const percent = (share: number) => `${(share * 100).toFixed(2)}%`;
  const { now, dueAt, deadlineAt } = bar;
  return (
    <div role="img" aria-label={summary} className="relative my-3 h-3">
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

/**
 * Whether the deadline is counted from the last beat. After a miss, the next beat is due one interval after
 * the missed deadline instead.
 */
function isCountedFromBeat({
  status,
  last_beat_at,
  next_due_at,
  expected_interval_minutes: interval,
}: Monitor): boolean {
  if (status !== 'failing' || last_beat_at === null || next_due_at === null || interval === null) return true;
  return Date.parse(next_due_at) - Date.parse(last_beat_at) <= interval * 60_000;
}

function describeNothingDue({ status, paused_until, deadline_at }: Monitor, now: Date): string {
  const zone = getBrowserTimeZone();
  if (status === 'paused')
    return paused_until
      ? monitorDetailText.deadline.pausedUntil(formatTimeOrDateTime(new Date(paused_until), zone, now))
      : monitorDetailText.deadline.paused;
  if (deadline_at === null) return monitorDetailText.deadline.noBeat;
  const at = new Date(deadline_at);
  return monitorDetailText.deadline.firstDue(
    formatTimeOrDateTime(at, zone, now),
    formatRelativeTime(at, now),
  );
}
