import { useInfiniteQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useLoadMore } from '../../data/use-load-more.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { useEventStreamState } from '../../data/use-server-events.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { capitalize } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { LoadMoreButton } from '../../ui/load-more-button.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { showToast } from '../../ui/toast.tsx';
import { getAlertStatus } from './alert-status.ts';
import {
  type AlertResource,
  buildAlertsQuery,
  DELIVERY_STATE_DISPLAYS,
  describeDeliveryState,
} from './channel-data.ts';
import { channelsText } from './text.ts';

/** Lists the alerts of one channel or of all channels with their deliveries, newest first. */
export function DeliveryLog({
  filters,
  channel = null,
}: {
  readonly filters: Readonly<Record<string, string>>;
  readonly channel?: string | null;
}) {
  const live = useEventStreamState() === 'live';
  useRefetchOnEvent('alerts', ['alerts']);
  const list = buildAlertsQuery(filters);
  const answer = useInfiniteQuery({
    ...list,
    // The event stream reports all delivery attempts. Without the stream, pending deliveries are polled more
    // often.
    refetchInterval: ({ state }) =>
      live ? false : state.data?.pages.some(({ data }) => data.some(hasPendingDelivery)) ? 3_000 : 15_000,
  });
  const { nextPage } = useLoadMore(list.queryKey, answer);
  // The log of a single channel always has the channel filter.
  const isFiltered = Object.keys(filters).length > (channel === null ? 0 : 1);
  const alerts = answer.data?.pages.flatMap(({ data }) => data) ?? [];
  if (answer.error && alerts.length === 0)
    return (
      <ErrorState
        what={channelsText.deliveries.loadError}
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  if (answer.isPending) return <SkeletonRows rows={4} />;
  if (alerts.length === 0)
    return (
      <EmptyState
        title={isFiltered ? channelsText.deliveries.noMatchTitle : channelsText.deliveries.emptyTitle}
      >
        {isFiltered ? channelsText.deliveries.noMatch : channelsText.deliveries.empty}
      </EmptyState>
    );
  return (
    <>
      <ol className="divide-y divide-line">
        {alerts.map((alert) => (
          <AlertEntry key={alert.id} alert={alert} channel={channel} />
        ))}
      </ol>
      <LoadMoreButton nextPage={nextPage} />
    </>
  );
}

function hasPendingDelivery({ deliveries }: AlertResource): boolean {
  return deliveries.some(
    ({ state, pending_reason }) =>
      state === 'pending' && (pending_reason === null || pending_reason === 'requested'),
  );
}

function AlertEntry({ alert, channel }: { readonly alert: AlertResource; readonly channel: string | null }) {
  const { event, title, at, subject, closed_at, deliveries } = alert;
  const shown = channel === null ? deliveries : deliveries.filter((one) => one.channel === channel);
  return (
    <li className="flex gap-3 py-3">
      <span className="mt-0.5">
        <StatusIcon state={getAlertStatus(alert)} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="text-body font-medium">
            {event === 'monitor_failing' && closed_at !== null
              ? channelsText.deliveries.wasFailing(subject.name)
              : title}
          </span>
          <span className="text-small text-ink-2 figures">
            <time dateTime={at}>{formatFullDateTime(new Date(at), getBrowserTimeZone())}</time> ·{' '}
            <RelativeTimeText at={at} />
          </span>
        </div>
        <p className="text-small text-ink-2">
          <SubjectLink alert={alert} />
          {closed_at !== null && event !== 'monitor_recovered' && (
            <>
              {' '}
              · {channelsText.deliveries.ended} <RelativeTimeText at={closed_at} />
            </>
          )}
        </p>
        {shown.length === 0 ? (
          <p className="mt-1 text-small text-ink-3">{channelsText.deliveries.notSent}</p>
        ) : (
          <ul className="mt-1 grid gap-0.5">
            {shown.map((delivery) => (
              <DeliveryRow key={delivery.id} delivery={delivery} />
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

/** Links to the resource that an alert is about. */
function SubjectLink({ alert: { subject, fields } }: { readonly alert: AlertResource }) {
  const { kind, id, name } = subject;
  if (kind === 'monitor') return <OrgLink to={`/monitors/${id}`}>{name}</OrgLink>;
  const label = capitalize(`${kind} ${name}`);
  // The subject of a budget alert is one counter of the budget.
  const open = kind === 'budget' ? fields['budget_id'] : id;
  if ((kind !== 'budget' && kind !== 'breaker') || typeof open !== 'string') return label;
  return (
    <OrgLink to={`/management/${kind}s`} search={{ open }}>
      {label}
    </OrgLink>
  );
}

type Delivery = AlertResource['deliveries'][number];

/**
 * Retries a delivery immediately, with a new set of attempts. Use it, for example, after the receiver was
 * repaired.
 */
function RetryDeliveryButton({ id }: { readonly id: string }) {
  const again = useApiMutation(
    () => sendJson<null>('POST', `api/monitoring/deliveries/${encodeURIComponent(id)}/retry`),
    { touches: [['alerts']], done: () => showToast(channelsText.deliveries.retried) },
  );
  return (
    <>
      <Button
        look="quiet"
        icon={RotateCw}
        needs="monitoring"
        busy={again.running}
        onClick={() => again.run(undefined)}
      >
        {channelsText.deliveries.retry}
      </Button>
      {again.error && <span className="text-failing-ink">{again.error.message}</span>}
    </>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const { channel, state, status, error, attempts, sent_at, grouped_into } = delivery;
  const { state: look } = DELIVERY_STATE_DISPLAYS[state];
  const details = [
    grouped_into !== null && channelsText.deliveries.grouped,
    // Most errors contain the status.
    status !== null && !error?.includes(String(status)) && channelsText.deliveries.responded(status),
    attempts > 1 && channelsText.deliveries.attempt(attempts),
  ].filter((part) => part !== false);
  return (
    <li className="flex items-start gap-x-2 text-ui">
      <span className="mt-1">
        <StatusIcon state={look} size={14} />
      </span>
      <span className="min-w-0 flex-1 break-words text-ink-2">
        <span className="font-medium text-ink">{channel}</span> {describeDeliveryState(delivery)}
        {sent_at !== null && <> </>}
        {sent_at !== null && <RelativeTimeText at={sent_at} />}
        {details.length > 0 && ` · ${details.join(' · ')}`}
        {error !== null && (
          <>
            {' · '}
            <span className={state === 'sent' ? 'text-warning-ink' : 'text-failing-ink'}>{error}</span>
          </>
        )}
      </span>
      {(state === 'failed' || (state === 'pending' && attempts > 0)) && (
        <RetryDeliveryButton id={delivery.id} />
      )}
    </li>
  );
}
