import type {
  credentialResource,
  credentialTestResult,
  providerResource,
} from '@floe/contract/api/providers';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { getWithETag } from '../../data/api-client.ts';
import { type TopValues, topQuery } from '../../data/charts.ts';

export type ProviderResource = z.output<typeof providerResource>;
export type CredentialResource = z.output<typeof credentialResource>;
export type CredentialTest = z.output<typeof credentialTestResult>;
export type ProviderTraffic = TopValues['data'][number];

export const PROVIDERS_PATH = 'api/management/providers';
/** Query keys that a change of a provider makes stale. */
export const PROVIDER_QUERY_KEYS = [['providers'], ['models'], ['breakers']];

export function providerPath(id: string): string {
  return `${PROVIDERS_PATH}/${encodeURIComponent(id)}`;
}

export function providerQuery(id: string) {
  return queryOptions({
    queryKey: ['providers', 'one', id],
    queryFn: ({ signal }) => getWithETag<ProviderResource>(providerPath(id), signal),
  });
}

/** The query for the number of requests per provider in the last 24 hours. */
export const providerTrafficQuery = { ...topQuery({ by: 'provider', limit: 100 }), refetchInterval: 30_000 };
