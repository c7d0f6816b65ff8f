import type { RequestRow } from '@floe/contract/api/analytics';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { type ApiPage, getJson } from '../../data/api-client.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { useEventStreamState } from '../../data/use-server-events.ts';
import { formatDuration, formatMoney } from '../../format/amounts.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { getOutcomeDisplay, getRequestModels } from '../requests/request-rows.ts';
import { connectText } from './text.ts';

const NAME = 'first-use';

/**
 * Returns the query for the newest request with one of the given keys. If `keys` is empty, returns the query
 * for the newest request with any key.
 */
export function buildNewestRequestQuery(keys: readonly string[]) {
  const search = new URLSearchParams({ limit: '1' });
  for (const key of keys) search.append('key', key);
  return queryOptions({
    queryKey: [NAME, ...keys],
    queryFn: ({ signal }) => getJson<ApiPage<RequestRow>>('api/analytics/requests', search, signal),
  });
}

/** The query for the newest successful request in the organization. */
export const newestSuccessfulRequestQuery = queryOptions({
  queryKey: [NAME, 'succeeded'],
  queryFn: ({ signal }) =>
    getJson<ApiPage<RequestRow>>('api/analytics/requests', { limit: 1, status: '2xx' }, signal),
});

/** Returns whether a request with the key has arrived. */
export function useIsKeyUsed(keyId: string | undefined): boolean {
  const { data } = useQuery({ ...buildNewestRequestQuery([keyId ?? '']), enabled: keyId !== undefined });
  return data?.data[0] !== undefined;
}

/**
 * Shows that the page waits for the first request with a key. When the request has arrived, shows its result.
 */
export function FirstRequestStatus({ keyId, client }: { readonly keyId: string; readonly client: string }) {
  const live = useEventStreamState() === 'live';
  useRefetchOnEvent('requests', [NAME]);
  const { data } = useQuery({ ...buildNewestRequestQuery([keyId]), refetchInterval: live ? false : 2_000 });
  const row = data?.data[0];
  if (!row) return <WaitingStatus>{connectText.firstRequest.waiting(client)}</WaitingStatus>;
  return <FirstRequestResult row={row} client={client} />;
}

/** Shows a text with a pulsing dot while the page waits for an event, such as the first request. */
export function WaitingStatus({ children }: { readonly children: ReactNode }) {
  return (
    <p role="status" className="flex items-center gap-2 text-ui text-ink-2">
      <span
        aria-hidden="true"
        className="size-2 shrink-0 animate-pulse rounded-full bg-accent motion-reduce:animate-none"
      />
      {children}
    </p>
  );
}

/** Shows the result of a request with a link to it. */
export function FirstRequestResult({ row, client }: { readonly row: RequestRow; readonly client: string }) {
  const { state, status, reason } = getOutcomeDisplay(row);
  const isFine = state === 'healthy' || state === 'cached';
  const { asked } = getRequestModels(row);
  const { connected, rejected, succeeded, failed, open } = connectText.firstRequest;
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 text-ui">
      <StatusIcon state={state} />
      <span>
        <b className="font-medium">{isFine ? connected(client) : rejected}</b>{' '}
        {isFine
          ? succeeded(asked, status, formatDuration(row.latency_ms), formatMoney(row.cost_nano_usd))
          : failed(asked, status, reason)}
      </span>
      <OrgLink to={`/requests/${row.id}`}>{open}</OrgLink>
    </p>
  );
}
