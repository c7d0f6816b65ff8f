import type { Channel } from '@floe/contract/api/channels';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { useLiveQuery } from '../../data/events.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { Badge, StateIcon } from '../../ui/state.tsx';
import type { Column } from '../../ui/table-columns.ts';
import { TimeText } from '../../ui/time-text.tsx';
import { type Alert, alertsQuery, channelsQuery } from './channel-data.ts';
import { ChannelDrawer } from './channel-drawer.tsx';
import { EVENTS, KINDS } from './channel-form.ts';

/** Who is told, and did it arrive? `open=` is the channel beside the list, `open=new` one that is being made. */
export function ChannelsPage() {
  const { query, change } = useUrlState();
  useLiveQuery('alerts', ['alerts']);
  const answer = useQuery(channelsQuery);
  const open = query.get('open');
  const create = () => change({ open: 'new' });
  useShortcuts([{ keys: 'c', does: 'New channel', run: create }]);
  const close = () => change({ open: null });
  return (
    <PageFrame
      title="Channels"
      padded={false}
      actions={
        <Button look="primary" icon={Plus} needs="monitoring" onClick={create}>
          New channel
        </Button>
      }
      beside={
        open && <ChannelDrawer id={open} onClose={close} onMade={(id) => change({ open: id }, 'replace')} />
      }
    >
      {answer.error && !answer.data ? (
        <ErrorState
          what="Could not load channels."
          error={answer.error}
          onRetry={() => void answer.refetch()}
        />
      ) : !answer.data ? (
        <SkeletonRows />
      ) : answer.data.data.length === 0 ? (
        <EmptyState
          title="Nobody is told"
          action={
            <Button look="primary" icon={Plus} needs="monitoring" onClick={create}>
              New channel
            </Button>
          }
        >
          A channel is where messages go: a webhook, a chat, mail. Test it before you rely on it.
        </EmptyState>
      ) : (
        <ChannelList rows={answer.data.data} open={open} onOpen={(id) => change({ open: id })} />
      )}
    </PageFrame>
  );
}

type Delivery = Alert['deliveries'][number];

function ChannelList({
  rows,
  open,
  onOpen,
}: {
  readonly rows: readonly Channel[];
  readonly open: string | null;
  readonly onOpen: (id: string) => void;
}) {
  // The newest messages of all channels: the last one of each is among them for all that speak now and then.
  const alerts = useInfiniteQuery(alertsQuery({})).data;
  const last = useMemo(() => {
    const found = new Map<string, Delivery>();
    for (const { deliveries } of alerts?.pages.flatMap(({ data }) => data) ?? [])
      for (const delivery of deliveries)
        if (!found.has(delivery.channel)) found.set(delivery.channel, delivery);
    return found;
  }, [alerts]);
  const columns = channelColumns(last).filter(({ id }) => !open || BESIDE_DRAWER.has(id));
  return (
    <DataTable
      label="Channels"
      rows={rows}
      rowId={({ id }) => id}
      columns={columns}
      total={rows.length}
      card={(row) => <ChannelCard row={row} delivery={last.get(row.name)} />}
      openId={open}
      onOpen={({ id }) => onOpen(id)}
    />
  );
}

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['name', 'kind', 'last']);

function channelColumns(last: ReadonlyMap<string, Delivery>): readonly Column<Channel>[] {
  return [
    {
      id: 'name',
      label: 'Name',
      width: 'minmax(8rem, 1fr)',
      cell: (row) => (
        <span className="flex items-center gap-2">
          <StateIcon state={stateOf(row)} />
          <span className="truncate font-medium">{row.name}</span>
        </span>
      ),
    },
    {
      id: 'kind',
      label: 'Kind',
      width: '8rem',
      cell: ({ kind }) => KINDS[kind].label,
    },
    { id: 'told', label: 'Is told of', width: 'minmax(10rem, 1.5fr)', cell: (row) => <ToldOf row={row} /> },
    {
      id: 'last',
      label: 'Last delivery',
      width: 'minmax(8rem, 12rem)',
      cell: ({ name }) => <DeliveryText delivery={last.get(name)} />,
    },
    { id: 'source', label: 'Source', width: '8rem', cell: ({ source }) => <SourceBadge source={source} /> },
  ];
}

function stateOf({ enabled, failures }: Channel) {
  return !enabled ? 'paused' : failures > 0 ? 'failing' : 'healthy';
}

function ToldOf({ row: { events, tags } }: { readonly row: Channel }) {
  const told = events?.map((event) => EVENTS.find(({ id }) => id === event)?.label.toLowerCase() ?? event);
  return (
    <span className="flex items-center gap-1.5 text-ink-2">
      <span className="truncate">{told?.join(', ') ?? 'everything'}</span>
      {tags.map((tag) => (
        <Badge key={tag} name="tag">
          {tag}
        </Badge>
      ))}
    </span>
  );
}

function DeliveryText({ delivery }: { readonly delivery: Delivery | undefined }) {
  if (!delivery) return <span className="text-ink-3">nothing sent yet</span>;
  const { state, status, sent_at, due_at, error } = delivery;
  const failed = state === 'dead' || (state === 'pending' && error !== null);
  return (
    <span className="flex items-center gap-1.5" title={error ?? undefined}>
      <StateIcon state={failed ? 'failing' : state === 'sent' ? 'healthy' : 'waiting'} />
      {failed && <span className="font-medium text-failing-ink">{status ?? 'no answer'}</span>}
      <TimeText at={sent_at ?? due_at} />
    </span>
  );
}

function ChannelCard({ row, delivery }: { readonly row: Channel; readonly delivery: Delivery | undefined }) {
  return (
    <div className="flex items-center gap-3 text-body">
      <StateIcon state={stateOf(row)} />
      <div className="min-w-0 flex-1">
        <div className="truncate">{row.name}</div>
        <div className="truncate text-small text-ink-2">{KINDS[row.kind].label}</div>
      </div>
      <span className="text-small text-ink-2">
        <DeliveryText delivery={delivery} />
      </span>
    </div>
  );
}
