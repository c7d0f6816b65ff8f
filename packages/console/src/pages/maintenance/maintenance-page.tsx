import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Pencil, Plus, Repeat, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { deleteResource } from '../../data/delete-resource.ts';
import { formatDuration } from '../../format/amounts.ts';
import {
  formatFullDateTime,
  formatMonthAndYear,
  formatRelativeTime,
  getBrowserTimeZone,
} from '../../format/times.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import { maintenanceWindowLookupQuery } from '../monitors/monitor-references.ts';
import { describeCron, formatScheduleTimeZone } from '../monitors/monitor-schedule.ts';
import { ActiveMaintenanceWindows, useMaintenanceScopeText } from './active-maintenance-windows.tsx';
import {
  formatMonthParameter,
  listMaintenanceOccurrences,
  type MaintenanceWindowOccurrence,
  parseMonth,
} from './maintenance-calendar.ts';
import { MaintenanceWindowDialog } from './maintenance-window-dialog.tsx';
import { MonthCalendar } from './month-calendar.tsx';
import { maintenanceText } from './text.ts';

const VIEWS = [
  { id: 'month', label: maintenanceText.page.month },
  { id: 'list', label: maintenanceText.page.list },
] as const;

/**
 * Lists the maintenance windows. The URL parameter `open` contains the ID of the window that the dialog
 * edits, or `new`. The parameter `plan` contains the comma-separated IDs of the monitors for a new window.
 */
export function MaintenancePage() {
  const { query, change } = useUrlState();
  const answer = useQuery({ ...maintenanceWindowLookupQuery, refetchInterval: 60_000 });
  const phone = useMediaQuery('(width < 48rem)');
  const windows = answer.data?.data ?? [];
  const planned = query.get('plan')?.split(',') ?? [];
  const asked = query.get('open') ?? (planned.length > 0 ? 'new' : null);
  const chosen = windows.find(({ id }) => id === asked) ?? null;
  const open = (id: string | null) => change({ open: id, plan: null });
  const view = phone ? 'list' : (query.get('view') ?? 'month');
  useShortcuts([
    { keys: 'c', does: maintenanceText.page.newWindow, run: () => open('new'), needs: 'monitoring' },
  ]);
  const create = <CreateButton onClick={() => open('new')} />;
  return (
    <PageFrame
      title={maintenanceText.page.title}
      actions={
        <>
          {!phone && (
            <SegmentedControl
              label={maintenanceText.page.view}
              options={VIEWS}
              value={view}
              onChange={(next) => change({ view: next === 'list' ? 'list' : null }, 'replace')}
            />
          )}
          {create}
        </>
      }
    >
      {answer.error && !answer.data ? (
        <ErrorState
          what={maintenanceText.page.loadError}
          error={answer.error}
          onRetry={() => void answer.refetch()}
        />
      ) : !answer.data ? (
        <SkeletonRows rows={5} />
      ) : (
        <div className="grid gap-4">
          <ActiveMaintenanceWindows windows={windows} />
          {view === 'month' && <MonthView windows={windows} onOpen={open} />}
          {windows.length === 0 ? (
            <EmptyState title={maintenanceText.page.emptyTitle} action={create}>
              {maintenanceText.page.empty}
            </EmptyState>
          ) : (
            view === 'list' && <WindowList windows={windows} onOpen={open} />
          )}
        </div>
      )}
      {(asked === 'new' || chosen) && (
        <MaintenanceWindowDialog key={asked} window={chosen} planned={planned} onClose={() => open(null)} />
      )}
    </PageFrame>
  );
}

function CreateButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button look="primary" icon={Plus} needs="monitoring" onClick={onClick}>
      {maintenanceText.page.newWindow}
    </Button>
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
  const title = formatMonthAndYear(month, getBrowserTimeZone());
  const turn = (by: number) => change({ month: formatMonthParameter(month, by) }, 'replace');
  return (
    <section aria-label={title} className="grid gap-2">
      <div className="flex items-center gap-1">
        <IconButton icon={ChevronLeft} label={maintenanceText.month.previous} onClick={() => turn(-1)} />
        <IconButton icon={ChevronRight} label={maintenanceText.month.next} onClick={() => turn(1)} />
        <h2 className="ml-1 text-body font-semibold">{title}</h2>
        <span className="ml-auto text-small text-ink-3">
          {maintenanceText.month.remark(getBrowserTimeZone())}
        </span>
      </div>
      <MonthCalendar
        month={month}
        occurrences={listMaintenanceOccurrences(windows)}
        now={now}
        onOpen={onOpen}
      />
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
  const [first] = listMaintenanceOccurrences([window]);
  const scope = useMaintenanceScopeText(window);
  return (
    <li className="flex items-center gap-3 px-4 py-2.5">
      <StatusIcon state={active_until ? 'maintenance' : !first || first.end < now ? 'paused' : 'waiting'} />
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-1.5 text-body font-medium">
          <span className="truncate">{name}</span>
          {schedule && (
            <Repeat size={14} role="img" aria-label={maintenanceText.list.repeats} className="text-ink-3" />
          )}
        </div>
        <p className="text-small text-ink-2">
          {[
            schedule &&
              maintenanceText.list.schedule(
                describeCron(schedule.cron) ?? schedule.cron,
                formatScheduleTimeZone(schedule),
              ),
            first
              ? describeOccurrence(first, now)
              : active_until
                ? maintenanceText.list.lastOccurrence(
                    formatFullDateTime(new Date(active_until), getBrowserTimeZone()),
                  )
                : maintenanceText.list.noOccurrence,
            scope,
            show_on_boards && maintenanceText.list.onBoards,
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
      <IconButton icon={Pencil} label={maintenanceText.list.edit(name)} onClick={onOpen} />
      <IconButton
        icon={Trash2}
        label={maintenanceText.list.delete(name)}
        needs="monitoring"
        onClick={() => setAsked(true)}
      />
      {asked && (
        <ConfirmChangeDialog
          sendChange={() => deleteResource(`api/monitoring/maintenance/${encodeURIComponent(id)}`)}
          touches={[['maintenance']]}
          onDone={() => setAsked(false)}
          onClose={() => setAsked(false)}
          title={maintenanceText.list.deleteTitle(name)}
          verb={maintenanceText.list.deleteButton}
        >
          {maintenanceText.list.deleteEffect}
        </ConfirmChangeDialog>
      )}
    </li>
  );
}

/** Describes an occurrence, as in `21 Nov 2026, 12:00:00 UTC for 2 h, starts in 3 d`. */
function describeOccurrence({ start, end }: MaintenanceWindowOccurrence, now: Date): string {
  const relative =
    end < now
      ? maintenanceText.list.ended(formatRelativeTime(end, now))
      : start < now
        ? maintenanceText.list.started(formatRelativeTime(start, now))
        : maintenanceText.list.starts(formatRelativeTime(start, now));
  const duration = formatDuration(end.getTime() - start.getTime());
  return maintenanceText.list.occurrence(formatFullDateTime(start, getBrowserTimeZone()), duration, relative);
}
