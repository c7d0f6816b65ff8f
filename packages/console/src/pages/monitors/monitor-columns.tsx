import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import type { Monitor } from '@floe/contract/api/monitors';
import { BellOff, Wrench } from 'lucide-react';
import { createContext, use } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { getCurrentTime } from '../../data/server-clock.ts';
import { formatDuration, formatUptime } from '../../format/amounts.ts';
import {
  formatFullDateTime,
  formatRelativeTime,
  formatShortTime,
  getBrowserTimeZone,
} from '../../format/times.ts';
import { useNow } from '../../ui/relative-time-text.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { Badge, STATUS_STYLES, StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { findActiveMaintenanceWindow } from './active-maintenance.ts';
import { DayStatusStrip } from './day-status-strip.tsx';
import type { RecentHistoryByMonitor } from './monitor-list.ts';
import { MonitorMenu } from './monitor-menu.tsx';
import { formatScheduleWithGrace } from './monitor-schedule.ts';
import type { MonitorSelection } from './monitor-selection.tsx';
import { monitorsText } from './text.ts';

/**
 * Provides the visible monitors’ status history of the last day. Because it is a context, new data causes
 * only the cells that use it to render again, not whole rows.
 */
export const RecentHistoryContext = createContext<RecentHistoryByMonitor>(new Map());

/** The context with the maintenance windows that are active now. */
export const ActiveMaintenanceContext = createContext<readonly MaintenanceWindow[]>([]);

/** The columns that users can show or hide. */
export const MONITOR_COLUMNS: readonly TableColumn<Monitor>[] = [
  {
    id: 'state',
    label: monitorsText.columns.status,
    width: '9rem',
    cell: (row) => <MonitorStatusText row={row} />,
  },
  {
    id: 'name',
    label: monitorsText.columns.name,
    width: 'minmax(10rem, 1.4fr)',
    cell: (row) => <MonitorName row={row} />,
  },
  {
    id: 'schedule',
    label: monitorsText.columns.schedule,
    width: 'minmax(10rem, 14rem)',
    yields: 1,
    cell: (row) => <MonitorScheduleText row={row} />,
  },
  {
    id: 'last',
    label: monitorsText.columns.lastBeat,
    width: '5.5rem',
    yields: 2,
    cell: ({ last_beat_at: at }) => (at ? <BeatTime at={at} /> : <span className="text-ink-3">–</span>),
  },
  {
    id: 'deadline',
    label: monitorsText.columns.deadline,
    width: '6.5rem',
    cell: (row) => <MonitorDeadline row={row} />,
  },
  {
    id: 'day',
    label: monitorsText.columns.day,
    width: '9.5rem',
    yields: 4,
    cell: ({ id }) => <MonitorDayStrip id={id} />,
  },
  {
    id: 'uptime',
    label: monitorsText.columns.uptime,
    width: '6rem',
    yields: 3,
    align: 'end',
    cell: ({ id }) => <MonitorUptimeText id={id} />,
  },
  {
    id: 'source',
    label: monitorsText.columns.source,
    width: '8rem',
    optional: true,
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

/**
 * The context with the IDs of the selected monitors, and the function that the checkboxes call to select a
 * monitor.
 */
export const MonitorSelectionContext = createContext<Pick<MonitorSelection, 'ids' | 'toggle'>>({
  ids: new Set(),
  toggle: () => undefined,
});

/**
 * Returns the given columns with a checkbox column before them and a column with the actions menu after them.
 */
export function addRowControls(columns: readonly TableColumn<Monitor>[]): readonly TableColumn<Monitor>[] {
  return [
    {
      id: 'select',
      label: monitorsText.columns.selection,
      hidesLabel: true,
      width: '1rem',
      cell: (row) => <SelectBox row={row} />,
    },
    ...columns,
    {
      id: 'actions',
      label: monitorsText.columns.actions,
      hidesLabel: true,
      width: '2rem',
      cell: (row) => <MonitorMenu monitor={row} />,
    },
  ];
}

function SelectBox({ row: { id, name } }: { readonly row: Monitor }) {
  const { ids, toggle } = use(MonitorSelectionContext);
  return (
    <label className="-m-1 grid size-6 place-items-center pointer-coarse:size-11">
      <input
        type="checkbox"
        aria-label={monitorsText.columns.select(name)}
        checked={ids.has(id)}
        onChange={({ nativeEvent }) => toggle(id, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
        className="size-4 accent-accent"
      />
    </label>
  );
}

function MonitorScheduleText({ row }: { readonly row: Monitor }) {
  const text = formatScheduleWithGrace(row);
  return (
    <span title={text} className="text-ink-2">
      {text}
    </span>
  );
}

function MonitorDayStrip({ id }: { readonly id: string }) {
  return <DayStatusStrip slices={use(RecentHistoryContext).get(id)?.intervals} />;
}

function MonitorUptimeText({ id }: { readonly id: string }) {
  const ratio = use(RecentHistoryContext).get(id)?.uptime_ratio;
  return ratio === null || ratio === undefined ? <span className="text-ink-3">–</span> : formatUptime(ratio);
}

/**
 * Shows the time of a beat. Uses the title attribute, because a tooltip component is too slow while rows
 * scroll.
 */
function BeatTime({ at }: { readonly at: string }) {
  const moment = new Date(at);
  const now = useNow();
  return (
    <time dateTime={at} title={formatFullDateTime(moment, getBrowserTimeZone())}>
      {formatRelativeTime(moment, now)}
    </time>
  );
}

/** Shows the icon and label of the status. For a failing monitor, also shows how long it has been failing. */
function MonitorStatusText({ row }: { readonly row: Monitor }) {
  const now = useNow();
  const { status, failing_since: since } = row;
  const quiet = status === 'healthy' || status === 'paused';
  return (
    <span className="flex items-center gap-2">
      <StatusIcon state={status} />
      <span className={quiet ? 'text-ink-2' : `font-medium ${STATUS_STYLES[status].ink}`}>
        {status === 'failing' && since
          ? monitorsText.columns.failing(
              formatDuration(Math.max(0, now.getTime() - new Date(since).getTime())),
            )
          : STATUS_STYLES[status].word}
      </span>
    </span>
  );
}

function MonitorName({ row }: { readonly row: Monitor }) {
  const { id, name, tags, muted_until } = row;
  return (
    <span className="flex items-center gap-1.5">
      <OrgLink to={`/monitors/${id}`} className="truncate font-medium text-ink hover:underline">
        {name}
      </OrgLink>
      <MutedIcon until={muted_until} />
      <MaintenanceIcon row={row} />
      {tags.slice(0, 2).map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
    </span>
  );
}

/** An icon that is shown while the monitor’s alerts are muted. */
function MutedIcon({ until }: { readonly until: string | null }) {
  if (until === null || new Date(until) <= getCurrentTime()) return null;
  const label = monitorsText.columns.mutedUntil(formatFullDateTime(new Date(until), getBrowserTimeZone()));
  return (
    <span title={label} className="shrink-0 text-ink-3">
      <BellOff size={14} strokeWidth={1.75} role="img" aria-label={label} />
    </span>
  );
}

/** An icon that is shown while a maintenance window mutes the monitor’s alerts. */
function MaintenanceIcon({ row }: { readonly row: Monitor }) {
  const window = findActiveMaintenanceWindow(use(ActiveMaintenanceContext), row, useNow());
  if (!window?.active_until) return null;
  const until = formatFullDateTime(new Date(window.active_until), getBrowserTimeZone());
  const label = monitorsText.columns.inMaintenance(window.name, until);
  return (
    <span title={label} className="shrink-0 text-maintenance-ink">
      <Wrench size={14} strokeWidth={1.75} role="img" aria-label={label} />
    </span>
  );
}

/** Shows the time until the deadline, or the time of the missed deadline of a failing monitor. */
function MonitorDeadline({ row }: { readonly row: Monitor }) {
  const now = useNow();
  const at = row.failing_since ?? row.deadline_at;
  if (at === null) return <span className="text-ink-3">–</span>;
  const moment = new Date(at);
  if (row.status !== 'failing') return <time dateTime={at}>{formatRelativeTime(moment, now)}</time>;
  return (
    <time dateTime={at} className="text-failing-ink">
      {now.getTime() - moment.getTime() < 86_400_000
        ? monitorsText.columns.since(formatShortTime(moment, getBrowserTimeZone()))
        : formatRelativeTime(moment, now)}
    </time>
  );
}

/** Renders a monitor as a card, for phones. */
export function MonitorCard({ row }: { readonly row: Monitor }) {
  const now = useNow();
  const { status, name, failing_since, deadline_at } = row;
  const line =
    status === 'failing' && failing_since
      ? monitorsText.columns.failingFor(
          formatDuration(Math.max(0, now.getTime() - new Date(failing_since).getTime())),
        )
      : deadline_at
        ? monitorsText.columns.deadlineIn(formatRelativeTime(new Date(deadline_at), now))
        : STATUS_STYLES[status].word.toLowerCase();
  return (
    <div className="flex items-center gap-3 text-body">
      <StatusIcon state={status} />
      <div className="min-w-0 flex-1">
        <div className="truncate">{name}</div>
        <div className="truncate text-small text-ink-2 figures">
          {line} · {formatScheduleWithGrace(row)}
        </div>
      </div>
      <span className="text-small text-ink-2 figures">
        <MonitorUptimeText id={row.id} />
      </span>
    </div>
  );
}
