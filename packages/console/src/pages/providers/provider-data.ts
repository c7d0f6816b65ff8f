import type {
  credentialResource,
  credentialTestResult,
  providerResource,
} from '@floe/contract/api/providers';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { buildTopValuesQuery, type TopValues } from '../../data/analytics-queries.ts';
import { getJsonWithETag } from '../../data/api-client.ts';

/** A provider as the API returns it, with its credentials. */
export type ProviderResource = z.output<typeof providerResource>;
/** A credential as the API returns it, without the secret. */
export type CredentialResource = z.output<typeof credentialResource>;
/** The result of testing a credential. */
export type CredentialTestResult = z.output<typeof credentialTestResult>;
/** The number of requests to a provider, and how many of them failed. */
export type ProviderTraffic = Pick<TopValues['data'][number], 'requests' | 'errors'>;

/** The API path of the providers. */
export const PROVIDERS_API_PATH = 'api/management/providers';
/** The query keys to invalidate after a change to a provider. */
export const PROVIDER_QUERY_KEYS = [['providers'], ['models'], ['breakers']];

/** Returns the API path of a provider. */
export function buildProviderApiPath(id: string): string {
  return `${PROVIDERS_API_PATH}/${encodeURIComponent(id)}`;
}

/**
 * Returns the query for one provider. The result contains the ETag that the next update must send in
 * `If-Match`.
 */
export function buildProviderQuery(id: string) {
  return queryOptions({
    queryKey: ['providers', 'one', id],
    queryFn: ({ signal }) => getJsonWithETag<ProviderResource>(buildProviderApiPath(id), signal),
  });
}

/**
 * The query for the number of requests to each provider in the last 24 hours. Cached responses are excluded: they
 * name a provider, but no request reached it.
 */
export const providerTrafficQuery = {
  ...buildTopValuesQuery({ by: 'provider', outcome: '!cached', limit: 100 }),
  refetchInterval: 30_000,
};
