import type { meResource } from '@floe/contract/api/me';
import type { Monitor, MonitorSummary } from '@floe/contract/api/monitors';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type * as z from 'zod';
import { type ApiPage, getJson, sendJson } from '../../data/api-client.ts';
import { useEventStreamState, useLiveQuery } from '../../data/events.ts';
import { sessionQuery, useSignedIn } from '../../data/session.ts';
import { CLIENTS } from '../connect/clients.ts';
import { newestOf } from '../connect/first-use.tsx';
import { doneOf, isClientKey, type Step } from './guide-steps.ts';

type Me = z.output<typeof meResource>;
interface Named {
  readonly id: string;
  readonly name: string;
}

const FOLDED = 'guide_folded';

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
  readonly isInviting: boolean;
  readonly done: ReadonlySet<Step>;
  readonly monitors: readonly Monitor[];
  readonly close: () => void;
  /** Never offered again to this person. */
  readonly fold: () => void;
}

/** How far the org is. @param asked the link asks for the guide */
export function useGuide(asked: boolean): GuideState {
  const client = useQueryClient();
  const { role } = useSignedIn();
  const { data: who } = useQuery(meQuery);
  const on = who !== undefined && (asked || isOffered(role, who));
  const seen = useSeen(on);
  const [opened, setOpened] = useState<boolean | null>(null);
  // What was open stays: the first request ticks a step, it does not take the page away.
  if (opened === null && on && seen.requests !== undefined) setOpened(seen.requests === 0);
  const done = doneOf(seen);
  const isKnown =
    seen.requests !== undefined && seen.providerKinds !== undefined && seen.budgets !== undefined;
  const fold = () => {
    setOpened(false);
    if (who?.kind !== 'member') return;
    // Should it not be remembered, it is offered once more: nothing is lost.
    void sendJson('PATCH', 'api/me', { preferences: { ...who.preferences, [FOLDED]: true } }).then(
      () => client.invalidateQueries({ queryKey: meQuery.queryKey }),
      () => undefined,
    );
  };
  return {
    isOpen: asked || opened === true,
    isInviting: on && mayGoOn(role) && opened === false && isKnown && done.size < 5,
    done,
    monitors: seen.monitors,
    close: () => setOpened(false),
    fold,
  };
}

/** What an org has so far, of which the steps are read. */
const SEEN = {
  first: newestOf([]),
  providers: listQuery<{ readonly kind: string; readonly enabled: boolean }>('api/management/providers'),
  keys: listQuery<Named>('api/management/keys'),
  standing: countsQuery,
  monitors: newestMonitorsQuery,
  budgets: listQuery<Named>('api/management/budgets'),
};

/** Asks who somebody is, and for what the guide will read, if it will. What fails is asked again by the page. */
export async function askGuide(client: QueryClient, asked: boolean): Promise<void> {
  await client.prefetchQuery(meQuery);
  const who = client.getQueryData(meQuery.queryKey);
  const session = client.getQueryData(sessionQuery.queryKey);
  if (!who || session?.state !== 'signed_in' || !(asked || isOffered(session.role, who))) return;
  void client.prefetchQuery(SEEN.first);
  void client.prefetchQuery(SEEN.providers);
  void client.prefetchQuery(SEEN.keys);
  void client.prefetchQuery(SEEN.standing);
  void client.prefetchQuery(SEEN.monitors);
  void client.prefetchQuery(SEEN.budgets);
}

function mayGoOn(role: string): boolean {
  return role === 'owner' || role === 'admin';
}

function isOffered(role: string, who: Me): boolean {
  return mayGoOn(role) && !(who.kind === 'member' && who.preferences[FOLDED] === true);
}

function useSeen(on: boolean) {
  const live = useEventStreamState() === 'live';
  const told = { enabled: on, refetchInterval: live ? false : 2_000 } as const;
  useLiveQuery('requests', ['first-use'], on);
  useLiveQuery('config', ['guide'], on);
  useLiveQuery('monitors', ['guide'], on);
  const first = useQuery({ ...SEEN.first, ...told }).data;
  const providers = useQuery({ ...SEEN.providers, enabled: on }).data;
  const keys = useQuery({ ...SEEN.keys, enabled: on }).data;
  const standing = useQuery({ ...SEEN.standing, ...told }).data?.counts;
  const monitors = useQuery({ ...SEEN.monitors, ...told }).data;
  const budgets = useQuery({ ...SEEN.budgets, enabled: on }).data;
  const clients = CLIENTS.map(({ id }) => id);
  const made = keys?.data.filter(({ name }) => isClientKey(name, clients)).map(({ id }) => id) ?? [];
  const byClients = useQuery({ ...newestOf(made.slice(0, 20)), enabled: on && made.length > 0 }).data;
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
