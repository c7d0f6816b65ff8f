import type { Monitor } from '@floe/contract/api/monitors';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { formatDuration } from '../../format/amounts.ts';
import { formatMinutes } from '../../format/minutes.ts';
import { formatTimeOrDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Card } from '../../ui/cards.tsx';
import { ErrorState, Notice, Skeleton } from '../../ui/feedback.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { Badge, StatusBadge } from '../../ui/status.tsx';
import { findActiveMaintenanceWindow } from './active-maintenance.ts';
import { CheckHistory } from './check-history.tsx';
import { MonitorActions } from './monitor-actions.tsx';
import { MonitorConfigurationCard, RecentAlertsCard, SendBeatsCard, UptimeCards } from './monitor-cards.tsx';
import { buildMonitorQuery } from './monitor-data.ts';
import { monitorDetailText } from './monitor-detail-text.ts';
import { maintenanceWindowLookupQuery } from './monitor-references.ts';
import { formatSchedule } from './monitor-schedule.ts';
import { MonitorTimeline } from './monitor-timeline.tsx';
import { NextDeadline } from './next-deadline.tsx';
import { monitorsText } from './text.ts';

/** Shows a monitor: its next deadline, uptime, timeline, checks, configuration and alerts. */
export function MonitorPage() {
  const id = usePathParam('id');
  useRefetchOnEvent('monitors', ['monitors', 'one', id]);
  useRefetchOnEvent('alerts', ['alerts']);
  // The event stream does not report beats because they are too frequent, so the page polls for them.
  const { data, error, refetch } = useQuery({ ...buildMonitorQuery(id), refetchInterval: BEATS_MS });
  const monitor = data?.body;
  useRefreshOnBeat(monitor);
  return (
    <PageFrame
      title={monitorsText.page.detailTitle(id)}
      crumbs={[{ label: monitorsText.page.title, to: '/monitors' }]}
      actions={monitor && <MonitorActions monitor={monitor} />}
    >
      {error && !monitor ? (
        <ErrorState what={monitorDetailText.loadError} error={error} onRetry={() => void refetch()} />
      ) : monitor ? (
        <MonitorDetails monitor={monitor} />
      ) : (
        <Skeleton className="h-64" />
      )}
    </PageFrame>
  );
}

const BEATS_MS = 5_000;
const MINUTE_MS = 60_000;

/** Refetches the history, the uptime and the timeline when a beat has arrived. */
function useRefreshOnBeat(monitor: Monitor | undefined): void {
  const client = useQueryClient();
  const id = monitor?.id;
  const seen = monitor && `${monitor.id} ${monitor.status} ${monitor.last_beat_at}`;
  const before = useRef(seen);
  useEffect(() => {
    if (before.current !== undefined && before.current !== seen)
      void client.invalidateQueries({ queryKey: ['monitors', 'one', id] });
    before.current = seen;
  }, [client, id, seen]);
}

function MonitorDetails({ monitor }: { readonly monitor: Monitor }) {
  const waiting = monitor.status === 'waiting';
  return (
    <div className="grid gap-4">
      <Heading monitor={monitor} />
      <MaintenanceNotice monitor={monitor} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="grid min-w-0 gap-4">
          {waiting && <SendBeatsCard monitor={monitor} />}
          <Card
            title={monitorDetailText.deadline.title}
            aside={monitorDetailText.timesIn(getBrowserTimeZone())}
          >
            <NextDeadline monitor={monitor} />
          </Card>
          <UptimeCards id={monitor.id} since={monitor.created_at} />
          <MonitorTimeline id={monitor.id} since={monitor.created_at} />
          <CheckHistory id={monitor.id} />
        </div>
        <div className="grid min-w-0 gap-4">
          <MonitorConfigurationCard monitor={monitor} />
          {!waiting && <SendBeatsCard monitor={monitor} />}
          <RecentAlertsCard id={monitor.id} />
        </div>
      </div>
    </div>
  );
}

function Heading({ monitor }: { readonly monitor: Monitor }) {
  const now = useNow();
  const { status, name, id, tags, failing_since: since, grace_period_minutes: grace } = monitor;
  return (
    <div className="grid gap-1">
      <div className="flex flex-wrap items-center gap-2.5">
        <StatusBadge state={status} />
        <h2 className="text-title font-semibold tracking-tight">{name}</h2>
        {tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </div>
      <p className="text-ui text-ink-2">
        {status === 'failing' && since && (
          <>
            <strong className="font-semibold text-failing-ink">
              {monitorDetailText.failingSince(
                formatTimeOrDateTime(new Date(since), getBrowserTimeZone(), now),
                formatDuration(Math.max(0, now.getTime() - new Date(since).getTime())),
              )}
            </strong>{' '}
            ·{' '}
          </>
        )}
        <code className="font-mono text-code">{id}</code> · {formatSchedule(monitor)},{' '}
        {grace === 0 ? monitorDetailText.noGrace : monitorDetailText.grace(formatMinutes(grace))}
      </p>
    </div>
  );
}

/** A notice that is shown while a maintenance window of the monitor is active. */
function MaintenanceNotice({ monitor }: { readonly monitor: Monitor }) {
  // No event reports that a window starts.
  const { data } = useQuery({ ...maintenanceWindowLookupQuery, refetchInterval: MINUTE_MS });
  const now = useNow();
  const open = findActiveMaintenanceWindow(data?.data ?? [], monitor, now);
  if (!open?.active_until) return null;
  return (
    <Notice state="maintenance">
      {monitorDetailText.maintenance(
        open.name,
        formatTimeOrDateTime(new Date(open.active_until), getBrowserTimeZone(), now),
      )}
    </Notice>
  );
}
