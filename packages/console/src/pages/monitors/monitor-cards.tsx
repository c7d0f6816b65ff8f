import type { Monitor } from '@floe/contract/api/monitors';
import { useQuery } from '@tanstack/react-query';
import { OrgLink } from '../../app/org-link.tsx';
import { buildApiUrl } from '../../data/base-url.ts';
import { formatDuration, formatUptime } from '../../format/amounts.ts';
import { formatMinutes } from '../../format/minutes.ts';
import {
  formatFullDateTime,
  formatShortDate,
  formatShortTime,
  getBrowserTimeZone,
} from '../../format/times.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ManagedByFileNotice } from '../../ui/source-badge.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { type AlertResource, describeDeliveryState } from '../channels/channel-data.ts';
import { buildBeatSnippets } from './beat-snippets.ts';
import { buildMonitorAlertsQuery, buildMonitorApiPath, buildUptimeQuery } from './monitor-data.ts';
import { monitorDetailText } from './monitor-detail-text.ts';
import { boardLookupQuery } from './monitor-references.ts';
import { formatSchedule, formatScheduleTimeZone } from './monitor-schedule.ts';

/**
 * Shows the uptime in four time ranges. The values are rounded down, so that 100% means that there was no
 * downtime.
 */
export function UptimeCards({ id, since }: { readonly id: string; readonly since: string }) {
  return (
    <div className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line md:grid-cols-4 *:bg-surface *:px-3.5 *:py-2.5">
      <UptimeCard id={id} since={since} days={1} label={monitorDetailText.uptime.day} />
      <UptimeCard id={id} since={since} days={7} label={monitorDetailText.uptime.week} />
      <UptimeCard id={id} since={since} days={30} label={monitorDetailText.uptime.month} />
      <UptimeCard id={id} since={since} days={90} label={monitorDetailText.uptime.quarter} />
    </div>
  );
}

function UptimeCard({
  id,
  since,
  days,
  label,
}: {
  readonly id: string;
  readonly since: string;
  readonly days: number;
  readonly label: string;
}) {
  // The downtime of a failing monitor grows without an event.
  const { data } = useQuery({ ...buildUptimeQuery(id, days), refetchInterval: 60_000 });
  if (!data) return <StatCard label={label} value="–" />;
  const { uptime_ratio: ratio, downtime_seconds: down, unknown_seconds: unknown, incidents } = data;
  const remark =
    ratio === null
      ? monitorDetailText.uptime.noData
      : down === 0
        ? monitorDetailText.uptime.noDowntime
        : monitorDetailText.uptime.downtime(formatDuration(down * 1000), incidents);
  const isYounger = ratio !== null && Date.now() - Date.parse(since) < days * 86_400_000;
  const dated = isYounger ? monitorDetailText.uptime.sinceCreation(remark) : remark;
  return (
    <StatCard
      label={label}
      value={ratio === null ? '–' : formatUptime(ratio)}
      remark={
        unknown >= 60 ? monitorDetailText.uptime.withUnknown(dated, formatDuration(unknown * 1000)) : dated
      }
    />
  );
}

/** Shows the schedule, the alert settings, the channels and the boards of a monitor. */
export function MonitorConfigurationCard({ monitor }: { readonly monitor: Monitor }) {
  const boards = useQuery(boardLookupQuery).data?.data ?? [];
  const { id, channels, source, created_at } = monitor;
  const shown = boards.filter(({ groups }) => groups.some(({ monitors }) => monitors.includes(id)));
  return (
    <Card title={monitorDetailText.configuration.title}>
      <div className="grid gap-3">
        <ManagedByFileNotice source={source} path={buildMonitorApiPath(id)} />
        <DetailList
          items={[
            ...scheduleItems(monitor),
            [monitorDetailText.configuration.alertAfter, monitor.alert_after_misses],
            [
              monitorDetailText.configuration.reportedFailures,
              monitor.fail_counts_as_miss
                ? monitorDetailText.configuration.failuresCount
                : monitorDetailText.configuration.failuresAlert,
            ],
            [
              monitorDetailText.configuration.channels,
              <OrgLink key="channels" to="/channels">
                {channels.length === 0 ? monitorDetailText.configuration.allChannels : channels.join(', ')}
              </OrgLink>,
            ],
            [
              monitorDetailText.configuration.boards,
              shown.length === 0
                ? monitorDetailText.configuration.noBoards
                : shown.map(({ slug, name, public: open }) => (
                    <span key={slug} className="mr-2">
                      <OrgLink to={`/boards/${slug}/edit`}>{name}</OrgLink>{' '}
                      {open
                        ? monitorDetailText.configuration.public
                        : monitorDetailText.configuration.private}
                    </span>
                  )),
            ],
            [
              monitorDetailText.configuration.mutedUntil,
              monitor.muted_until && formatFullDateTime(new Date(monitor.muted_until), getBrowserTimeZone()),
            ],
            [
              monitorDetailText.configuration.created,
              formatShortDate(new Date(created_at), getBrowserTimeZone(), new Date()),
            ],
          ]}
        />
        {monitor.description && <p className="text-ui whitespace-pre-wrap">{monitor.description}</p>}
      </div>
    </Card>
  );
}

/** Returns the schedule, the grace period and the first deadline for the configuration card. */
function scheduleItems(monitor: Monitor): readonly (readonly [string, string | null])[] {
  const labels = monitorDetailText.configuration;
  const { expected_interval_minutes: interval, schedule, first_beat_due_minutes: firstDue } = monitor;
  const grace = formatMinutes(monitor.grace_period_minutes);
  return [
    [labels.interval, interval === null ? null : formatMinutes(interval)],
    [
      labels.schedule,
      schedule && labels.scheduleValue(formatSchedule(monitor), formatScheduleTimeZone(schedule)),
    ],
    [labels.grace, monitor.grace_source === 'org' ? labels.orgDefault(grace) : grace],
    [
      labels.firstDue,
      firstDue === null ? labels.firstDueDefault[schedule ? 'cron' : 'interval'] : formatMinutes(firstDue),
    ],
  ];
}

/** Shows commands that send a beat. Until the first beat arrives, this card is the main part of the page. */
export function SendBeatsCard({ monitor }: { readonly monitor: Monitor }) {
  const waiting = monitor.status === 'waiting';
  return (
    <Card title={waiting ? monitorDetailText.beats.waitingTitle : monitorDetailText.beats.title}>
      <div className="grid gap-2">
        {waiting && <p className="text-ui text-ink-2">{monitorDetailText.beats.waiting}</p>}
        <CodeBlock
          snippets={buildBeatSnippets(
            monitor.id,
            buildApiUrl('api/monitoring/heartbeat').href,
            monitor.beat_url,
          )}
        />
        <p className="text-small text-ink-3">
          <code className="font-mono">FLOE_API_KEY</code> {monitorDetailText.beats.keyScope}{' '}
          <code className="font-mono">beat</code>.
        </p>
      </div>
    </Card>
  );
}

/** Shows the recent alerts of a monitor and their deliveries. */
export function RecentAlertsCard({ id }: { readonly id: string }) {
  const { data, error } = useQuery(buildMonitorAlertsQuery(id));
  return (
    <Card
      title={monitorDetailText.alerts.title}
      aside={
        <OrgLink to="/alerts" search={{ subject: id }}>
          {monitorDetailText.alerts.all}
        </OrgLink>
      }
    >
      {error && !data ? (
        <p className="text-ui text-ink-2">{error.message}</p>
      ) : data?.data.length === 0 ? (
        <p className="text-ui text-ink-2">{monitorDetailText.alerts.empty}</p>
      ) : (
        <ol className="divide-y divide-line">
          {data?.data.map((alert) => (
            <SentAlert key={alert.id} alert={alert} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function SentAlert({ alert: { event, title, at, deliveries } }: { readonly alert: AlertResource }) {
  const moment = new Date(at);
  return (
    <li className="flex items-start gap-2 py-2 text-ui first:pt-0 last:pb-0">
      <span className="mt-0.5">
        <StatusIcon state={event === 'monitor_recovered' ? 'healthy' : 'failing'} />
      </span>
      <div className="min-w-0 flex-1">
        <div>{title}</div>
        <div className="text-small text-ink-2">
          {deliveries.length === 0
            ? monitorDetailText.alerts.notSent
            : deliveries
                .map((delivery) =>
                  monitorDetailText.alerts.delivery(delivery.channel, describeDeliveryState(delivery)),
                )
                .join(' · ')}
        </div>
      </div>
      <time dateTime={at} className="text-small whitespace-nowrap text-ink-2 figures">
        {formatShortDate(moment, getBrowserTimeZone(), new Date())},{' '}
        {formatShortTime(moment, getBrowserTimeZone())}
      </time>
    </li>
  );
}
