import type { meResource } from '@floe/contract/api/me';
import type { Monitor, MonitorSummary } from '@floe/contract/api/monitors';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type * as z from 'zod';
import { type ApiPage, getJson, sendJson } from '../../data/api-client.ts';
import { useEventStreamState, useLiveQuery } from '../../data/events.ts';
import { sessionQuery, useSignedIn } from '../../data/session.ts';
import { CONNECT_CLIENTS } from '../connect/clients.ts';
import { newestRequestQuery } from '../connect/first-request.tsx';
import { completedSteps, type GuideStepId, isConnectKeyName } from './guide-steps.ts';

type Me = z.output<typeof meResource>;
interface NamedResource {
  readonly id: string;
  readonly name: string;
}

const DISMISSED = 'guide_folded';

export const meQuery = queryOptions({
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

/** The step is about the newest monitor; the others, of which there may be thousands, are only counted. */
const newestMonitorsQuery = queryOptions({
  queryKey: ['guide', 'monitors'],
  queryFn: ({ signal }) => getJson<ApiPage<Monitor>>('api/monitoring/monitors', { limit: 5 }, signal),
});

const countsQuery = queryOptions({
  queryKey: ['guide', 'status'],
  queryFn: ({ signal }) => getJson<MonitorSummary>('api/monitoring/status', undefined, signal),
});

export interface GuideState {
  /** The guide stands in place of the overview. */
  readonly isOpen: boolean;
  /** It is worth a line over the overview: not folded, not done, and this person can go on with it. */
  readonly showsInvitation: boolean;
  readonly done: ReadonlySet<GuideStepId>;
  readonly monitors: readonly Monitor[];
  readonly close: () => void;
  /** Never offered again to this person. */
  readonly dismiss: () => void;
}

/** How far the org is. @param asked the link asks for the guide */
export function useGuide(asked: boolean): GuideState {
  const client = useQueryClient();
  const { role } = useSignedIn();
  const { data: who } = useQuery(meQuery);
  const on = who !== undefined && (asked || isOffered(role, who));
  const seen = useGuideProgress(on);
  const [opened, setOpened] = useState<boolean | null>(null);
  // What was open stays: the first request ticks a step, it does not take the page away.
  if (opened === null && on && seen.requests !== undefined) setOpened(seen.requests === 0);
  const done = completedSteps(seen);
  const isKnown =
    seen.requests !== undefined && seen.providerKinds !== undefined && seen.budgets !== undefined;
  const fold = () => {
    setOpened(false);
    if (who?.kind !== 'member') return;
    // Should it not be remembered, it is offered once more: nothing is lost.
    void sendJson('PATCH', 'api/me', { preferences: { ...who.preferences, [DISMISSED]: true } }).then(
      () => client.invalidateQueries({ queryKey: meQuery.queryKey }),
      () => undefined,
    );
  };
  return {
    isOpen: asked || opened === true,
    showsInvitation: on && canCompleteGuide(role) && opened === false && isKnown && done.size < 5,
    done,
    monitors: seen.monitors,
    close: () => setOpened(false),
    dismiss: fold,
  };
}

/** What an org has so far, of which the steps are read. */
const PROGRESS_QUERIES = {
  first: newestRequestQuery([]),
  providers: listQuery<{ readonly kind: string; readonly enabled: boolean }>('api/management/providers'),
  keys: listQuery<NamedResource>('api/management/keys'),
  standing: countsQuery,
  monitors: newestMonitorsQuery,
  budgets: listQuery<NamedResource>('api/management/budgets'),
};

/** Asks who somebody is, and for what the guide will read, if it will. What fails is asked again by the page. */
export async function prefetchGuide(client: QueryClient, asked: boolean): Promise<void> {
  await client.prefetchQuery(meQuery);
  const who = client.getQueryData(meQuery.queryKey);
  const session = client.getQueryData(sessionQuery.queryKey);
  if (!who || session?.state !== 'signed_in' || !(asked || isOffered(session.role, who))) return;
  void client.prefetchQuery(PROGRESS_QUERIES.first);
  void client.prefetchQuery(PROGRESS_QUERIES.providers);
  void client.prefetchQuery(PROGRESS_QUERIES.keys);
  void client.prefetchQuery(PROGRESS_QUERIES.standing);
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
  const told = { enabled: on, refetchInterval: live ? false : 2_000 } as const;
  useLiveQuery('requests', ['first-use'], on);
  useLiveQuery('config', ['guide'], on);
  useLiveQuery('monitors', ['guide'], on);
  const first = useQuery({ ...PROGRESS_QUERIES.first, ...told }).data;
  const providers = useQuery({ ...PROGRESS_QUERIES.providers, enabled: on }).data;
  const keys = useQuery({ ...PROGRESS_QUERIES.keys, enabled: on }).data;
  const standing = useQuery({ ...PROGRESS_QUERIES.standing, ...told }).data?.counts;
  const monitors = useQuery({ ...PROGRESS_QUERIES.monitors, ...told }).data;
  const budgets = useQuery({ ...PROGRESS_QUERIES.budgets, enabled: on }).data;
  const clients = CONNECT_CLIENTS.map(({ id }) => id);
  const made = keys?.data.filter(({ name }) => isConnectKeyName(name, clients)).map(({ id }) => id) ?? [];
  const byClients = useQuery({
    ...newestRequestQuery(made.slice(0, 20)),
    enabled: on && made.length > 0,
  }).data;
  return {
    requests: first?.data.length,
    providerKinds: providers?.data.filter(({ enabled }) => enabled).map(({ kind }) => kind),
    // Without a key the question is that of all requests, whose answer may be there already.
    clientRequests: made.length > 0 ? byClients?.data.length : 0,
    hasBeat: standing && standing.healthy + standing.failing > 0,
    budgets: budgets?.data.length,
    monitors: monitors?.data ?? [],
  };
}
