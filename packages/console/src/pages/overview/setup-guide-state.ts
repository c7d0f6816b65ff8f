import type { meResource } from '@floe/contract/api/me';
import type { MonitorStatusSummary } from '@floe/contract/api/monitor-history';
import type { Monitor } from '@floe/contract/api/monitors';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type * as z from 'zod';
import { type ApiPage, getJson, sendJson } from '../../data/api-client.ts';
import { sessionQuery, useSignedInSession } from '../../data/session.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { useEventStreamState } from '../../data/use-server-events.ts';
import { CONNECTABLE_CLIENTS } from '../connect/connectable-clients.ts';
import { buildNewestRequestQuery, newestSuccessfulRequestQuery } from '../connect/first-request.tsx';
import { isConnectPageKeyName, listCompletedSteps, type SetupGuideStepId } from './setup-guide-steps.ts';

type Me = z.output<typeof meResource>;
interface NamedResource {
  readonly id: string;
  readonly name: string;
}

const DISMISSED = 'guide_folded';

/** The query for the signed-in user and their preferences. */
export const currentUserQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => getJson<Me>('api/me', undefined, signal),
  staleTime: 60_000,
});

function listQuery<Row>(path: string) {
  return queryOptions({
    queryKey: ['guide', path],
    queryFn: ({ signal }) => getJson<ApiPage<Row>>(path, { limit: 100 }, signal),
  });
}

/**
 * The query for the five newest monitors, one of which the guide shows. Other monitors are only counted because there
 * may be thousands.
 */
const newestMonitorsQuery = queryOptions({
  queryKey: ['guide', 'monitors'],
  queryFn: ({ signal }) => getJson<ApiPage<Monitor>>('api/monitoring/monitors', { limit: 5 }, signal),
});

const countsQuery = queryOptions({
  queryKey: ['guide', 'status'],
  queryFn: ({ signal }) => getJson<MonitorStatusSummary>('api/monitoring/status', undefined, signal),
});

/** The state of the setup guide and the functions that change it. */
export interface SetupGuideState {
  /** Whether the guide is shown instead of the overview. */
  readonly isOpen: boolean;
  /**
   * Whether the overview links to the guide. True if the guide is incomplete, was not dismissed, and this
   * member has permission to complete it.
   */
  readonly showsLink: boolean;
  readonly done: ReadonlySet<SetupGuideStepId>;
  readonly monitors: readonly Monitor[];
  /** Hides the guide from this member permanently. */
  readonly dismiss: () => void;
}

/**
 * Returns the state of the setup guide.
 * @param request The URL parameter `guide`: `1` opens the guide and `0` closes it.
 */
export function useSetupGuide(request: string | null): SetupGuideState {
  const isRequested = request === '1';
  const client = useQueryClient();
  const { role } = useSignedInSession();
  const { data: who } = useQuery(currentUserQuery);
  const on = who !== undefined && (isRequested || isOffered(role, who));
  const seen = useGuideProgress(on);
  const [opened, setOpened] = useState<boolean | null>(null);
  // The guide stays open when the first request arrives.
  if (opened === null && on && seen.requests !== undefined) setOpened(seen.requests === 0);
  if (opened && request === '0') setOpened(false);
  const done = listCompletedSteps(seen);
  const isKnown =
    seen.requests !== undefined && seen.providerKinds !== undefined && seen.budgets !== undefined;
  const dismiss = () => {
    if (who?.kind !== 'member') return;
    // If this request fails, the guide is shown again on the next visit.
    void sendJson('PATCH', 'api/me', { preferences: { ...who.preferences, [DISMISSED]: true } }).then(
      () => client.invalidateQueries({ queryKey: currentUserQuery.queryKey }),
      () => undefined,
    );
  };
  return {
    isOpen: isRequested || opened === true,
    showsLink: on && canCompleteGuide(role) && opened === false && isKnown && done.size < 5,
    done,
    monitors: seen.monitors,
    dismiss,
  };
}

/** The queries that determine which steps are done. */
const PROGRESS_QUERIES = {
  first: buildNewestRequestQuery([]),
  succeeded: newestSuccessfulRequestQuery,
  providers: listQuery<{ readonly kind: string; readonly enabled: boolean }>('api/management/providers'),
  keys: listQuery<NamedResource>('api/management/keys'),
  monitorCounts: countsQuery,
  monitors: newestMonitorsQuery,
  budgets: listQuery<NamedResource>('api/management/budgets'),
};

/**
 * Starts the queries of the guide if it will be shown. Ignores errors, because the page repeats failed
 * queries.
 */
export async function prefetchSetupGuide(client: QueryClient, isRequested: boolean): Promise<void> {
  await client.prefetchQuery(currentUserQuery);
  const who = client.getQueryData(currentUserQuery.queryKey);
  const session = client.getQueryData(sessionQuery.queryKey);
  if (!who || session?.state !== 'signed_in' || !(isRequested || isOffered(session.role, who))) return;
  void client.prefetchQuery(PROGRESS_QUERIES.first);
  void client.prefetchQuery(PROGRESS_QUERIES.succeeded);
  void client.prefetchQuery(PROGRESS_QUERIES.providers);
  void client.prefetchQuery(PROGRESS_QUERIES.keys);
  void client.prefetchQuery(PROGRESS_QUERIES.monitorCounts);
  void client.prefetchQuery(PROGRESS_QUERIES.monitors);
  void client.prefetchQuery(PROGRESS_QUERIES.budgets);
}

function canCompleteGuide(role: string): boolean {
  return role === 'owner' || role === 'admin';
}

function isOffered(role: string, who: Me): boolean {
  return canCompleteGuide(role) && !(who.kind === 'member' && who.preferences[DISMISSED] === true);
}

function useGuideProgress(on: boolean) {
  const live = useEventStreamState() === 'live';
  const liveOptions = { enabled: on, refetchInterval: live ? false : 2_000 } as const;
  useRefetchOnEvent('requests', ['first-use'], on);
  useRefetchOnEvent('config', ['guide'], on);
  useRefetchOnEvent('monitors', ['guide'], on);
  const first = useQuery({ ...PROGRESS_QUERIES.first, ...liveOptions }).data;
  const succeeded = useQuery({ ...PROGRESS_QUERIES.succeeded, ...liveOptions }).data;
  const providers = useQuery({ ...PROGRESS_QUERIES.providers, enabled: on }).data;
  const keys = useQuery({ ...PROGRESS_QUERIES.keys, enabled: on }).data;
  const counts = useQuery({ ...PROGRESS_QUERIES.monitorCounts, ...liveOptions }).data?.counts;
  const monitors = useQuery({ ...PROGRESS_QUERIES.monitors, ...liveOptions }).data;
  const budgets = useQuery({ ...PROGRESS_QUERIES.budgets, enabled: on }).data;
  const clients = CONNECTABLE_CLIENTS.map(({ id }) => id);
  const keyIds =
    keys?.data.filter(({ name }) => isConnectPageKeyName(name, clients)).map(({ id }) => id) ?? [];
  const byClients = useQuery({
    ...buildNewestRequestQuery(keyIds.slice(0, 20)),
    enabled: on && keyIds.length > 0,
  }).data;
  return {
    requests: first?.data.length,
    succeeded: succeeded?.data.length,
    providerKinds: providers?.data.filter(({ enabled }) => enabled).map(({ kind }) => kind),
    // Without keys for clients, there are no requests from clients.
    clientRequests: keyIds.length > 0 ? byClients?.data.length : 0,
    hasBeat: counts && counts.healthy + counts.failing > 0,
    budgets: budgets?.data.length,
    monitors: monitors?.data ?? [],
  };
}
