import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Pencil, Plus, Repeat, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { formatDuration } from '../../format/amounts.ts';
import { browserZone, formatFullTime, formatRelativeTime, formatShortTime } from '../../format/times.ts';
import { pluralize } from '../../format/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmChange } from '../../ui/confirm-change.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { StatusBadge, StatusIcon } from '../../ui/status.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import { maintenanceWindowsQuery } from '../monitors/monitor-data.ts';
import { describeCron, formatScheduleZone } from '../monitors/monitor-schedule.ts';
import { formatMonthParameter, maintenanceOccurrences, parseMonth } from './calendar.ts';
import { MonthCalendar } from './month-calendar.tsx';
import { WindowDialog } from './window-dialog.tsx';

const VIEWS = [
  { id: 'month', label: 'Month' },
  { id: 'list', label: 'List' },
] as const;
const monthName = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

/**
 * When are alerts quiet? `open=` is the window that is being changed, `open=new` one that is planned; `plan=` names the
 * monitors of the one that is planned, with commas between them.
 */
export function MaintenancePage() {
  const { query, change } = useUrlState();
  const answer = useQuery({ ...maintenanceWindowsQuery, refetchInterval: 60_000 });
  const phone = useMediaQuery('(width < 48rem)');
  const windows = answer.data?.data ?? [];
  const planned = query.get('plan')?.split(',') ?? [];
  const asked = query.get('open') ?? (planned.length > 0 ? 'new' : null);
  const chosen = windows.find(({ id }) => id === asked) ?? null;
  const open = (id: string | null) => change({ open: id, plan: null });
  const view = phone ? 'list' : (query.get('view') ?? 'month');
  useShortcuts([{ keys: 'c', does: 'Plan a window', run: () => open('new') }]);
  const plan = (
    <Button look="primary" icon={Plus} needs="monitoring" onClick={() => open('new')}>
      Plan a window
    </Button>
  );
  return (
    <PageFrame
      title="Maintenance"
      actions={
        <>
          {!phone && (
            <SegmentedControl
              label="View"
              options={VIEWS}
              value={view}
              onChange={(next) => change({ view: next === 'list' ? 'list' : null }, 'replace')}
            />
          )}
          {plan}
        </>
      }
    >
      {answer.error && !answer.data ? (
        <ErrorState
          what="Could not load maintenance."
          error={answer.error}
          onRetry={() => void answer.refetch()}
        />
      ) : !answer.data ? (
        <SkeletonRows rows={5} />
      ) : (
        <div className="grid gap-4">
          <ActiveWindows windows={windows} />
          {view === 'month' && <MonthView windows={windows} onOpen={open} />}
          {windows.length === 0 ? (
            <EmptyState title="Nothing planned" action={plan}>
              Beats are still recorded during a window; only messages are held back.
            </EmptyState>
          ) : (
            view === 'list' && <WindowList windows={windows} onOpen={open} />
          )}
        </div>
      )}
      {(asked === 'new' || chosen) && (
        <WindowDialog key={asked} window={chosen} planned={planned} onClose={() => open(null)} />
      )}
    </PageFrame>
  );
}

function MonthView({
  windows,
  onOpen,
}: {
  readonly windows: readonly MaintenanceWindow[];
  readonly onOpen: (id: string) => void;
}) {
  const { query, change } = useUrlState();
  const now = useNow();
  const month = parseMonth(query.get('month'), now);
  const turn = (by: number) => change({ month: formatMonthParameter(month, by) }, 'replace');
  return (
    <section aria-label={monthName.format(month)} className="grid gap-2">
      <div className="flex items-center gap-1">
        <IconButton icon={ChevronLeft} label="Previous month" onClick={() => turn(-1)} />
        <IconButton icon={ChevronRight} label="Next month" onClick={() => turn(1)} />
        <h2 className="ml-1 text-body font-semibold">{monthName.format(month)}</h2>
        <span className="ml-auto text-small text-ink-3">
          Times in {browserZone()}; of those that repeat the next three
        </span>
      </div>
      <MonthCalendar month={month} occurrences={maintenanceOccurrences(windows)} now={now} onOpen={onOpen} />
    </section>
  );
}

/** Windows that are open right now: end or extend them. */
function ActiveWindows({ windows }: { readonly windows: readonly MaintenanceWindow[] }) {
  const open = windows.filter(({ active_until: until }) => until !== null);
  return open.map((window) => <ActiveWindow key={window.id} window={window} />);
}

function ActiveWindow({ window }: { readonly window: MaintenanceWindow }) {
  const { id, name, active_until, schedule, monitors, tags } = window;
  const now = useNow();
  const until = new Date(active_until ?? now);
  const end = useApiMutation(
    (at: Date) =>
      sendJson<MaintenanceWindow>('PATCH', `api/monitoring/maintenance/${encodeURIComponent(id)}`, {
        ends_at: at.toISOString(),
      }),
    { touches: [['maintenance']] },
  );
  const whom =
    monitors.length === 0 && tags.length === 0
      ? 'Every monitor'
      : [
          monitors.length > 0 && pluralize(monitors.length, 'monitor'),
          tags.length > 0 && `tags ${tags.join(', ')}`,
        ]
          .filter((part) => part !== false)
          .join(' and ');
  return (
    <section className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-maintenance-line bg-maintenance-tint px-4 py-3">
      <StatusBadge state="maintenance">Now</StatusBadge>
      <div className="min-w-0 flex-1 max-md:basis-full">
        <h2 className="text-body font-semibold">
          {name} until {formatShortTime(until, browserZone())}
        </h2>
        <p className="text-ui text-ink-2">
          {whom}. Beats and misses are recorded, messages are held back for another{' '}
          {formatDuration(Math.max(0, until.getTime() - now.getTime()))}.
        </p>
        {end.error && <p className="text-small text-failing-ink">{end.error.message}</p>}
      </div>
      {schedule === null && (
        <>
          <Button
            needs="monitoring"
            busy={end.running}
            onClick={() => end.run(new Date(until.getTime() + 30 * 60_000))}
          >
            Extend 30 min
          </Button>
          <Button needs="monitoring" busy={end.running} onClick={() => end.run(new Date())}>
            End now
          </Button>
        </>
      )}
    </section>
  );
}

function WindowList({
  windows,
  onOpen,
}: {
  readonly windows: readonly MaintenanceWindow[];
  readonly onOpen: (id: string) => void;
}) {
  return (
    <ul className="divide-y divide-line rounded-card border border-line bg-surface">
      {windows.map((window) => (
        <WindowRow key={window.id} window={window} onOpen={() => onOpen(window.id)} />
      ))}
    </ul>
  );
}

function WindowRow({ window, onOpen }: { readonly window: MaintenanceWindow; readonly onOpen: () => void }) {
  const { id, name, schedule, active_until, show_on_boards } = window;
  const now = useNow();
  const [asked, setAsked] = useState(false);
  const [first] = maintenanceOccurrences([window]);
  const over = first !== undefined && first.end < now;
  return (
    <li className="flex items-center gap-3 px-4 py-2.5">
      <StatusIcon state={over || !first ? 'paused' : active_until ? 'maintenance' : 'waiting'} />
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-1.5 text-body font-medium">
          <span className="truncate">{name}</span>
          {schedule && <Repeat size={14} role="img" aria-label="repeats" className="text-ink-3" />}
        </div>
        <p className="text-small text-ink-2">
          {schedule && `${describeCron(schedule.cron) ?? schedule.cron}, ${formatScheduleZone(schedule)} · `}
          {first
            ? `${formatFullTime(first.start, browserZone())} for ${formatDuration(first.end.getTime() - first.start.getTime())}, ${over ? 'over' : formatRelativeTime(first.start, now)}`
            : 'never again'}
          {show_on_boards && ' · on boards'}
        </p>
      </div>
      <IconButton icon={Pencil} label={`Change ${name}`} onClick={onOpen} />
      <IconButton icon={Trash2} label={`Delete ${name}`} needs="monitoring" onClick={() => setAsked(true)} />
      {asked && (
        <ConfirmChange
          make={() => sendJson<null>('DELETE', `api/monitoring/maintenance/${encodeURIComponent(id)}`)}
          touches={[['maintenance']]}
          onDone={() => setAsked(false)}
          onClose={() => setAsked(false)}
          title={`Delete ${name}`}
          verb="Delete window"
        >
          Messages are sent again at once, also about what failed meanwhile.
        </ConfirmChange>
      )}
    </li>
  );
}
