import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import { useLiveQuery } from '../../data/events.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { trafficQuery } from './provider-data.ts';
import type { ProviderHealth } from './provider-words.ts';

/** A half-open breaker has not yet seen that its target works. */
const KEEPS_AWAY: ReadonlySet<Breaker['state']> = new Set(['open', 'half_open']);

/** What has happened to the requests of each provider lately: its breakers, and its errors of 24 hours. */
export function useProviderHealth(): (id: string) => ProviderHealth {
  useLiveQuery('breakers', ['breakers']);
  const { rows } = useRows(listQuery<Breaker>('breakers', 'api/management/breakers'));
  const { data } = useQuery(trafficQuery);
  return (id) => {
    const traffic = data?.data.find(({ value }) => value === id);
    return {
      openBreakers:
        rows?.filter(({ provider, state }) => provider === id && KEEPS_AWAY.has(state)).length ?? 0,
      requests: traffic?.requests ?? 0,
      errors: traffic?.errors ?? 0,
    };
  };
}
