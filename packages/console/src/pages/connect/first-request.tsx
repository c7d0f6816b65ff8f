import type { RequestRow } from '@floe/contract/api/analytics';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { type ApiPage, getJson } from '../../data/api-client.ts';
import { useEventStreamState, useLiveQuery } from '../../data/events.ts';
import { formatDuration, formatMoney } from '../../format/amounts.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { outcomeOf, requestModels } from '../requests/request-rows.ts';

const NAME = 'first-use';

/** The newest request of some keys, or of all with none named. */
export function newestRequestQuery(keys: readonly string[]) {
  const search = new URLSearchParams({ limit: '1' });
  for (const key of keys) search.append('key', key);
  return queryOptions({
    queryKey: [NAME, ...keys],
    queryFn: ({ signal }) => getJson<ApiPage<RequestRow>>('api/analytics/requests', search, signal),
  });
}

/** Waits for the first request of a key, and says what became of it. */
export function FirstRequestStatus({ keyId, who }: { readonly keyId: string; readonly who: string }) {
  const live = useEventStreamState() === 'live';
  useLiveQuery('requests', [NAME]);
  const { data } = useQuery({ ...newestRequestQuery([keyId]), refetchInterval: live ? false : 2_000 });
  const row = data?.data[0];
  if (!row) return <WaitingStatus>Waiting for {who}…</WaitingStatus>;
  return <FirstRequestResult row={row} who={who} />;
}

export function WaitingStatus({ children }: { readonly children: ReactNode }) {
  return (
    <p role="status" className="flex items-center gap-2 text-ui text-ink-2">
      <span
        aria-hidden="true"
        className="size-2 animate-pulse rounded-full bg-accent motion-reduce:animate-none"
      />
      {children}
    </p>
  );
}

/** `sandbox/echo answered 200 in 3 ms, $0.` and the way to what happened. */
export function FirstRequestResult({ row, who }: { readonly row: RequestRow; readonly who: string }) {
  const { state, status, reason } = outcomeOf(row);
  const isFine = state === 'healthy' || state === 'cached';
  const { asked } = requestModels(row);
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 text-ui">
      <StatusIcon state={state} />
      <span>
        {isFine ? (
          <>
            <b className="font-medium">{who} is connected.</b> It asked for {asked}: {status} in{' '}
            {formatDuration(row.latency_ms)}, {formatMoney(row.cost_nano_usd)}.
          </>
        ) : (
          <>
            <b className="font-medium">{who} reached Floe, and was told no.</b> It asked for {asked}: {status}
            {reason && `, ${reason}`}.
          </>
        )}
      </span>
      <OrgLink to={`/requests/${row.id}`}>See what happened to it</OrgLink>
    </p>
  );
}
