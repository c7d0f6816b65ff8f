import type { Monitor } from '@floe/contract/api/monitors';
import { useQuery } from '@tanstack/react-query';
import { OrgLink } from '../../app/org-link.tsx';
import { apiUrl } from '../../data/base.ts';
import { formatDuration, formatUptime } from '../../format/amounts.ts';
import { browserZone, formatDayLabel, formatFullTime, formatShortTime } from '../../format/times.ts';
import { pluralize } from '../../format/words.ts';
import { Card, DetailList } from '../../ui/cards.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { SourceNotice } from '../../ui/source-badge.tsx';
import { StatCard } from '../../ui/stat-card.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { DELIVERY_LABELS } from '../channels/channel-data.ts';
import {
  allBoardsQuery,
  type ConsoleAlert,
  monitorAlertsQuery,
  monitorPath,
  uptimeQuery,
} from './monitor-data.ts';
import { formatMinutes, formatSchedule, formatScheduleZone } from './monitor-schedule.ts';
import { beatSnippets } from './send-beats.ts';

/** Uptime of four spans, rounded down: 100% means that nothing was missed. */
export function UptimeStrip({ id }: { readonly id: string }) {
  return (
    <div className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line md:grid-cols-4 *:bg-surface *:px-3.5 *:py-2.5">
      <UptimeCard id={id} days={1} label="Uptime, 24 hours" />
      <UptimeCard id={id} days={7} label="7 days" />
      <UptimeCard id={id} days={30} label="30 days" />
      <UptimeCard id={id} days={90} label="90 days" />
    </div>
  );
}

function UptimeCard({
  id,
  days,
  label,
}: {
  readonly id: string;
  readonly days: number;
  readonly label: string;
}) {
  const { data } = useQuery(uptimeQuery(id, days));
  if (!data) return <StatCard label={label} value="–" />;
  const { uptime_ratio: ratio, downtime_seconds: down, unknown_seconds: unknown, incidents } = data;
  const times = incidents > 1 ? `, ${incidents} times` : '';
  const remark =
    ratio === null
      ? 'nothing judged yet'
      : down === 0
        ? 'no downtime'
        : `${formatDuration(down * 1000)} down${times}`;
  return (
    <StatCard
      label={label}
      value={ratio === null ? '–' : formatUptime(ratio)}
      remark={unknown >= 60 ? `${remark}; ${formatDuration(unknown * 1000)} unknown` : remark}
    />
  );
}

export function ConfigurationCard({ monitor }: { readonly monitor: Monitor }) {
  const boards = useQuery(allBoardsQuery).data?.data ?? [];
  const { id, expected_interval_minutes: interval, schedule, channels, source, created_at } = monitor;
  const shown = boards.filter(({ groups }) => groups.some(({ monitors }) => monitors.includes(id)));
  return (
    <Card title="Configuration">
      <div className="grid gap-3">
        <SourceNotice source={source} path={monitorPath(id)} />
        <DetailList
          items={[
            ['Interval', interval === null ? null : `${interval} min (${formatMinutes(interval)})`],
            ['Schedule', schedule && `${formatSchedule(monitor)}, ${formatScheduleZone(schedule)}`],
            [
              'Grace',
              `${formatMinutes(monitor.grace_period_minutes)}${monitor.grace_source === 'org' ? ', the org’s' : ''}`,
            ],
            [
              'First beat due',
              monitor.first_beat_due_minutes === null
                ? 'after interval and grace'
                : formatMinutes(monitor.first_beat_due_minutes),
            ],
            ['Alert after', pluralize(monitor.alert_after_misses, 'miss', 'misses')],
            ['Reported failures', monitor.fail_counts_as_miss ? 'count as a miss' : 'alert at once'],
            [
              'Channels',
              <OrgLink key="channels" to="/channels">
                {channels.length === 0 ? 'every channel' : channels.join(', ')}
              </OrgLink>,
            ],
            [
              'Boards',
              shown.length === 0
                ? 'none'
                : shown.map(({ slug, name, public: open }) => (
                    <span key={slug} className="mr-2">
                      <OrgLink to={`/boards/${slug}/edit`}>{name}</OrgLink> {open ? 'public' : 'private'}
                    </span>
                  )),
            ],
            [
              'Muted until',
              monitor.muted_until && formatFullTime(new Date(monitor.muted_until), browserZone()),
            ],
            ['Created', formatDayLabel(new Date(created_at), browserZone(), new Date())],
          ]}
        />
        {monitor.description && <p className="text-ui whitespace-pre-wrap">{monitor.description}</p>}
      </div>
    </Card>
  );
}

/** Ready to paste; while nothing came yet this is what the page is about. */
export function SendBeatsCard({ monitor }: { readonly monitor: Monitor }) {
  const waiting = monitor.status === 'waiting';
  return (
    <Card title={waiting ? 'Waiting for the first beat…' : 'Send beats'}>
      <div className="grid gap-2">
        {waiting && (
          <p className="text-ui text-ink-2">
            Nothing is counted before it. Run this at the end of the job; the page turns by itself.
          </p>
        )}
        <CodeBlock
          snippets={beatSnippets(monitor.id, apiUrl('api/monitoring/heartbeat').href, monitor.beat_url)}
        />
        <p className="text-small text-ink-3">
          <code className="font-mono">FLOE_KEY</code> is a platform key with the scope{' '}
          <code className="font-mono">beat</code>.
        </p>
      </div>
    </Card>
  );
}

export function AlertsSentCard({ id }: { readonly id: string }) {
  const { data, error } = useQuery(monitorAlertsQuery(id));
  return (
    <Card
      title="Alerts sent"
      aside={
        <OrgLink to="/alerts" search={{ subject: id }}>
          All
        </OrgLink>
      }
    >
      {error ? (
        <p className="text-ui text-ink-2">{error.message}</p>
      ) : data?.data.length === 0 ? (
        <p className="text-ui text-ink-2">None yet.</p>
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

function SentAlert({ alert: { event, title, at, deliveries } }: { readonly alert: ConsoleAlert }) {
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
            ? 'no channel was told'
            : deliveries.map(({ channel, state }) => `${channel} ${DELIVERY_LABELS[state].word}`).join(' · ')}
        </div>
      </div>
      <time dateTime={at} className="text-small whitespace-nowrap text-ink-2 figures">
        {formatDayLabel(moment, browserZone(), new Date())}, {formatShortTime(moment, browserZone())}
      </time>
    </li>
  );
}
