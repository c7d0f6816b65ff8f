import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { FailedPart, hasFailed } from '../overview/failed-part.tsx';
import { providerTrafficQuery } from './provider-data.ts';
import type { ProviderHealth } from './provider-status.ts';
import { providersText } from './text.ts';

/**
 * Breaker states that count as open. In the half-open state, it is not yet known whether the target works.
 */
const BLOCKING_STATES: ReadonlySet<Breaker['state']> = new Set(['open', 'half_open']);

/** The health of providers by provider ID, and an error message if it could not be loaded. */
export interface ProviderHealthResult {
  readonly healthOf: (id: string) => ProviderHealth;
  readonly failure: ReactNode;
}

/**
 * Loads the health of the providers: their open breakers, and their requests and errors in the last 24 hours.
 */
export function useProviderHealth(): ProviderHealthResult {
  useRefetchOnEvent('breakers', ['breakers']);
  const { rows, answer } = useListRows(buildListQuery<Breaker>('breakers', 'api/management/breakers'));
  const traffic = useQuery(providerTrafficQuery);
  return {
    healthOf: (id) => ({
      openBreakers:
        rows?.filter(({ provider, state }) => provider === id && BLOCKING_STATES.has(state)).length ?? null,
      // A provider without requests is not in the list.
      traffic: traffic.data
        ? (traffic.data.data.find(({ value }) => value === id) ?? { requests: 0, errors: 0 })
        : null,
    }),
    failure: hasFailed([answer, traffic]) ? (
      <FailedPart what={providersText.status.loadFailed} queries={[answer, traffic]} />
    ) : null,
  };
}
