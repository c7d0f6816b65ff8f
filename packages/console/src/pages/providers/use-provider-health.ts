import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import { useLiveQuery } from '../../data/events.ts';
import { listQuery, useListRows } from '../../data/lists.ts';
import { providerTrafficQuery } from './provider-data.ts';
import type { ProviderHealth } from './provider-status.ts';

/** A half-open breaker does not know yet whether its target works. */
const BLOCKING_STATES: ReadonlySet<Breaker['state']> = new Set(['open', 'half_open']);

/** The recent health of each provider: its open breakers, and its errors in the last 24 hours. */
export function useProviderHealth(): (id: string) => ProviderHealth {
  useLiveQuery('breakers', ['breakers']);
  const { rows } = useListRows(listQuery<Breaker>('breakers', 'api/management/breakers'));
  const { data } = useQuery(providerTrafficQuery);
  return (id) => {
    const traffic = data?.data.find(({ value }) => value === id);
    return {
      openBreakers:
        rows?.filter(({ provider, state }) => provider === id && BLOCKING_STATES.has(state)).length ?? 0,
      requests: traffic?.requests ?? 0,
      errors: traffic?.errors ?? 0,
    };
  };
}
