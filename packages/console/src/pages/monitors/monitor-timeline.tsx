import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { formatDuration } from '../../format/amounts.ts';
import {
  formatClockTime,
  formatFullDateTime,
  formatShortDate,
  formatShortTime,
  getBrowserTimeZone,
} from '../../format/times.ts';
import { Card } from '../../ui/cards.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { STATUS_STYLES, StatusIcon } from '../../ui/status.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { buildPeriodsQuery, type MonitorPeriod } from './monitor-data.ts';
import { monitorDetailText } from './monitor-detail-text.ts';
import { findScheduleChanges, type ScheduleChange } from './schedule-changes.ts';
import { TimelineLegend } from './timeline-legend.tsx';
import {
  buildTimelineBeatMarks,
  buildTimelinePeriods,
  findStartOfShownPeriods,
  type TimelinePeriod,
} from './timeline-periods.ts';
import { buildRecentChecksQuery, buildSettingsChangesQuery } from './timeline-queries.ts';

const SPANS = [
  { id: '1', label: monitorDetailText.timeline.ranges.day },
  { id: '7', label: monitorDetailText.timeline.ranges.week },
  { id: '30', label: monitorDetailText.timeline.ranges.month },
  { id: '90', label: monitorDetailText.timeline.ranges.quarter },
] as const;

const LOOKS: Readonly<Record<MonitorPeriod['status'], string>> = {
  healthy: 'bg-healthy inset-y-0',
  failing: 'bg-failing -inset-y-1 min-w-1 rounded-tag',
  unknown: 'hatched bg-unknown-tint border border-unknown inset-y-0',
  paused: 'border border-paused top-[28%] bottom-[28%]',
  waiting: 'border border-dashed border-waiting inset-y-0',
};

/**
 * Shows the status of a monitor over time, with a mark for each beat. The user can switch to a list of the
 * same data.
 */
export function MonitorTimeline({ id, since }: { readonly id: string; readonly since: string }) {
  const [days, setDays] = useState('1');
  const [listed, setListed] = useState(false);
  const answer = useQuery(buildPeriodsQuery(id, Number(days)));
  const checks = useQuery(buildRecentChecksQuery(id, Number(days)));
  const now = useNow();
  // The timeline of a new monitor starts when it was created.
  const from = new Date(
    Math.max(now.getTime() - Number(days) * 86_400_000, new Date(since).getTime() - 60_000),
  );
  const marks = buildTimelinePeriods(answer.data?.data ?? [], from, now);
  const shownFrom = answer.data ? findStartOfShownPeriods(answer.data) : null;
  const audit = useQuery(buildSettingsChangesQuery(id)).data?.data;
  const changes = useMemo(() => findScheduleChanges(audit ?? []), [audit]).filter(({ at }) => at >= from);
  return (
    <Card
      title={monitorDetailText.timeline.title}
      aside={
        <SegmentedControl
          label={monitorDetailText.timeline.range}
          options={SPANS}
          value={days}
          onChange={setDays}
        />
      }
    >
      {answer.error && !answer.data ? (
        <ErrorState
          what={monitorDetailText.timeline.loadError}
          error={answer.error}
          onRetry={() => void answer.refetch()}
        />
      ) : !answer.data ? (
        <Skeleton className="h-20" />
      ) : listed ? (
        <>
          <PeriodList marks={marks} />
          <ScheduleChangeList changes={changes} />
        </>
      ) : (
        <>
          <StatusBand marks={marks}>
            <ScheduleChangeLines changes={changes} from={from} to={now} />
          </StatusBand>
          <Ticks ticks={buildTimelineBeatMarks(checks.data ?? [], from, now)} />
          <Axis from={from} to={now} />
          <TimelineLegend changed={changes.length > 0} />
        </>
      )}
      {shownFrom && (
        <p className="text-small text-ink-2">
          {monitorDetailText.timeline.shownFrom(formatFullDateTime(shownFrom, getBrowserTimeZone()))}
        </p>
      )}
      <ListToggle listed={listed} onChange={setListed} />
    </Card>
  );
}

function ListToggle({
  listed,
  onChange,
}: {
  readonly listed: boolean;
  readonly onChange: (listed: boolean) => void;
}) {
  return (
    <div className="flex justify-end">
      <button
        type="button"
        aria-pressed={listed}
        onClick={() => onChange(!listed)}
        className="min-h-6 text-small text-ink-3 underlined hover:text-ink"
      >
        {listed ? monitorDetailText.timeline.showTimeline : monitorDetailText.timeline.showList}
      </button>
    </div>
  );
}

/** Draws a line at each time at which the schedule changed. */
function ScheduleChangeLines({
  changes,
  from,
  to,
}: {
  readonly changes: readonly ScheduleChange[];
  readonly from: Date;
  readonly to: Date;
}) {
  return changes.map((change) => (
    <span
      key={change.id}
      title={changeText(change)}
      style={{
        left: percent((change.at.getTime() - from.getTime()) / (to.getTime() - from.getTime())),
      }}
      className="absolute -inset-y-1.5 border-l border-dashed border-ink"
    />
  ));
}

const percent = (share: number) => `${(share * 100).toFixed(3)}%`;

function StatusBand({
  marks,
  children,
}: {
  readonly marks: readonly TimelinePeriod[];
  readonly children: ReactNode;
}) {
  return (
    <div className="relative mt-5 mb-1 h-6">
      <div className="absolute inset-x-0 bottom-0 h-0.5 bg-line" />
      {marks.map((mark) => (
        <div
          key={mark.period.started_at}
          title={describeMark(mark)}
          style={{ left: percent(mark.left), width: percent(mark.width) }}
          className={`absolute ${LOOKS[mark.period.status]}`}
        />
      ))}
      {marks
        .filter(({ label }) => label)
        .map(({ period, left, width, ms }) => (
          <span
            key={period.started_at}
            style={{ left: percent(Math.min(0.93, Math.max(0.03, left + width / 2))) }}
            className="absolute -top-5 -translate-x-1/2 text-micro font-semibold whitespace-nowrap text-failing-ink"
          >
            {formatDuration(ms)}
          </span>
        ))}
      {children}
    </div>
  );
}

function Ticks({ ticks }: { readonly ticks: ReturnType<typeof buildTimelineBeatMarks> }) {
  return (
    <div aria-hidden="true" className="relative h-4">
      {ticks.map(({ id, at, missed }) => (
        <span
          key={id}
          style={{ left: percent(at) }}
          className={
            missed
              ? 'absolute top-0 -translate-x-1/2 text-small leading-4 font-bold text-failing-ink'
              : 'absolute top-1 h-2 w-px bg-ink-3'
          }
        >
          {missed ? '×' : ''}
        </span>
      ))}
    </div>
  );
}

/** Minimum range in milliseconds. Time labels have no seconds, so they would repeat in a shorter range. */
const MIN_MINUTES_MS = 10 * 60_000;

function Axis({ from, to }: { readonly from: Date; readonly to: Date }) {
  const zone = getBrowserTimeZone();
  const spanMs = to.getTime() - from.getTime();
  const label = (at: Date) =>
    spanMs > 86_400_000
      ? formatShortDate(at, zone, to)
      : spanMs < MIN_MINUTES_MS
        ? formatClockTime(at, zone)
        : formatShortTime(at, zone);
  return (
    <div className="flex justify-between text-micro text-ink-3 figures">
      {[0, 0.25, 0.5, 0.75, 1].map((share) => {
        return <span key={share}>{label(new Date(from.getTime() + spanMs * share))}</span>;
      })}
    </div>
  );
}

/** Lists the periods, newest first. */
function PeriodList({ marks }: { readonly marks: readonly TimelinePeriod[] }) {
  return (
    <ol className="mt-2 divide-y divide-line text-ui">
      {marks.toReversed().map((mark) => (
        <li key={mark.period.started_at} className="flex items-center gap-2 py-1.5">
          <StatusIcon state={mark.period.status} />
          <span className="flex-1">
            {monitorDetailText.timeline.period(
              STATUS_STYLES[mark.period.status].word,
              formatFullDateTime(new Date(mark.period.started_at), getBrowserTimeZone()),
            )}
          </span>
          <span className="text-ink-2 figures">{formatDuration(mark.ms)}</span>
          <ShowChecksButton mark={mark} />
        </li>
      ))}
    </ol>
  );
}

/**
 * Filters the check history by a period. The range starts shortly before the period, to include the beat
 * before it.
 */
function ShowChecksButton({ mark: { period } }: { readonly mark: TimelinePeriod }) {
  const { change } = useUrlState();
  const { started_at, ended_at } = period;
  const show = () =>
    change({
      from: new Date(Date.parse(started_at) - AROUND_MS).toISOString(),
      to: ended_at && new Date(Date.parse(ended_at) + AROUND_MS).toISOString(),
    });
  return (
    <button type="button" onClick={show} className="min-h-6 text-small text-accent-ink underline">
      {monitorDetailText.timeline.showChecks}
    </button>
  );
}

const AROUND_MS = 60_000;

/** Lists the schedule changes. Misses before a change were evaluated with the earlier schedule. */
function ScheduleChangeList({ changes }: { readonly changes: readonly ScheduleChange[] }) {
  if (changes.length === 0) return null;
  return (
    <ol className="mt-2 border-t border-line pt-1 text-small text-ink-2">
      {changes.map((change) => (
        <li key={change.id} className="py-0.5">
          {changeText(change)}
        </li>
      ))}
    </ol>
  );
}

function changeText({ at, by, words }: ScheduleChange): string {
  return monitorDetailText.timeline.change(formatFullDateTime(at, getBrowserTimeZone()), by, words);
}

function describeMark({ period, ms }: TimelinePeriod): string {
  return monitorDetailText.timeline.mark(
    STATUS_STYLES[period.status].word,
    formatDuration(ms),
    formatFullDateTime(new Date(period.started_at), getBrowserTimeZone()),
  );
}
