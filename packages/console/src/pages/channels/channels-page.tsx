import type { Channel } from '@floe/contract/api/channels';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ListPage } from '../../app/list-page.tsx';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { formatRelativeTime } from '../../format/times.ts';
import { capitalize } from '../../format/words.ts';
import { RelativeTimeText, useNow } from '../../ui/relative-time-text.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { Badge, StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { type AlertResource, buildAlertsQuery, CHANNEL_RESOURCE_KIND } from './channel-data.ts';
import { ChannelDrawer } from './channel-drawer.tsx';
import { ALERT_EVENT_LABELS, CHANNEL_KIND_FORMS } from './channel-form.ts';
import { findLastDeliveries } from './last-deliveries.ts';
import { channelsText } from './text.ts';

/** Lists the channels with their last delivery. */
export function ChannelsPage() {
  useRefetchOnEvent('config', ['channels']);
  useRefetchOnEvent('alerts', ['alerts']);
  const list = useListRows(buildListQuery<Channel>('channels', CHANNEL_RESOURCE_KIND.path));
  const last = useLastDeliveries();
  return (
    <ListPage
      title={channelsText.page.title}
      one={channelsText.page.resource}
      needs={CHANNEL_RESOURCE_KIND.needs}
      list={list}
      columns={channelColumns(last)}
      besideDrawer={BESIDE_DRAWER}
      card={(row) => <ChannelCard row={row} delivery={last.get(row.name)} />}
      drawer={(id, onOpen, onClose) => <ChannelDrawer id={id} onOpen={onOpen} onClose={onClose} />}
      empty={{
        title: channelsText.page.emptyTitle,
        text: channelsText.page.empty,
      }}
    />
  );
}

type Delivery = AlertResource['deliveries'][number];

/** Returns the last delivery by channel name, for deliveries of the newest alerts. Older ones are not known. */
function useLastDeliveries(): ReadonlyMap<string, Delivery> {
  const alerts = useInfiniteQuery(buildAlertsQuery({})).data;
  return useMemo(() => findLastDeliveries(alerts?.pages.flatMap(({ data }) => data) ?? []), [alerts]);
}

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['name', 'kind', 'last']);

function channelColumns(last: ReadonlyMap<string, Delivery>): readonly TableColumn<Channel>[] {
  return [
    {
      id: 'name',
      label: channelsText.columns.name,
      width: 'minmax(8rem, 1fr)',
      cell: (row) => (
        <span className="flex items-center gap-2">
          <StatusIcon state={channelStatus(row)} />
          <span className="truncate font-medium">{row.name}</span>
        </span>
      ),
    },
    {
      id: 'kind',
      label: channelsText.columns.kind,
      width: '8rem',
      cell: ({ kind }) => CHANNEL_KIND_FORMS[kind].label,
    },
    {
      id: 'events',
      label: channelsText.columns.events,
      width: 'minmax(10rem, 1.5fr)',
      cell: (row) => <ChannelEvents row={row} />,
    },
    {
      id: 'last',
      label: channelsText.columns.lastDelivery,
      width: 'minmax(8rem, 16rem)',
      cell: ({ name }) => <DeliveryText delivery={last.get(name)} />,
    },
    {
      id: 'source',
      label: channelsText.columns.source,
      width: '8rem',
      yields: 1,
      cell: ({ source }) => <SourceBadge source={source} />,
    },
  ];
}

function channelStatus({ enabled, failures }: Channel) {
  return !enabled ? 'paused' : failures > 0 ? 'failing' : 'healthy';
}

function ChannelEvents({ row: { events, tags } }: { readonly row: Channel }) {
  const labels = events?.map(
    (event) => ALERT_EVENT_LABELS.find(({ id }) => id === event)?.label.toLowerCase() ?? event,
  );
  return (
    <span className="flex items-center gap-1.5 text-ink-2">
      <span className="truncate">
        {labels ? capitalize(labels.join(', ')) : channelsText.columns.allEvents}
      </span>
      {tags.map((tag) => (
        <Badge key={tag} name="tag">
          {tag}
        </Badge>
      ))}
    </span>
  );
}

function DeliveryText({ delivery }: { readonly delivery: Delivery | undefined }) {
  if (!delivery) return <span className="text-ink-3">{channelsText.columns.noDelivery}</span>;
  const { state, status, sent_at, due_at, error } = delivery;
  const failed = state === 'failed' || (state === 'pending' && error !== null);
  return (
    <span className="flex items-center gap-1.5" title={error ?? undefined}>
      <StatusIcon state={failed ? 'failing' : state === 'sent' ? 'healthy' : 'waiting'} />
      {failed && state === 'pending' ? (
        <NextAttempt status={String(status ?? channelsText.columns.noResponse)} at={due_at} />
      ) : (
        <>
          {failed && (
            <span className="font-medium text-failing-ink">{status ?? channelsText.columns.noResponse}</span>
          )}
          <RelativeTimeText at={sent_at ?? due_at} />
        </>
      )}
    </span>
  );
}

function NextAttempt({ status, at }: { readonly status: string; readonly at: string }) {
  const now = useNow();
  const due = new Date(at);
  const isDue = due.getTime() - now.getTime() < 1000;
  return (
    <span className="truncate font-medium text-failing-ink">
      {isDue
        ? channelsText.columns.attemptDue(status)
        : channelsText.columns.nextAttempt(status, formatRelativeTime(due, now))}
    </span>
  );
}

function ChannelCard({ row, delivery }: { readonly row: Channel; readonly delivery: Delivery | undefined }) {
  return (
    <div className="flex items-center gap-3 text-body">
      <StatusIcon state={channelStatus(row)} />
      <div className="min-w-0 flex-1">
        <div className="truncate">{row.name}</div>
        <div className="truncate text-small text-ink-2">{CHANNEL_KIND_FORMS[row.kind].label}</div>
      </div>
      <span className="text-small text-ink-2">
        <DeliveryText delivery={delivery} />
      </span>
    </div>
  );
}
