import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { providerTrafficQuery } from './provider-data.ts';
import type { ProviderHealth } from './provider-status.ts';

/**
 * Breaker states that count as open. In the half-open state, it is not yet known whether the target works.
 */
const BLOCKING_STATES: ReadonlySet<Breaker['state']> = new Set(['open', 'half_open']);

/**
 * Returns a function that maps a provider ID to the health of the provider: its open breakers, and its errors
 * in the last 24 hours.
 */
export function useProviderHealth(): (id: string) => ProviderHealth {
  useRefetchOnEvent('breakers', ['breakers']);
  const { rows } = useListRows(buildListQuery<Breaker>('breakers', 'api/management/breakers'));
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
