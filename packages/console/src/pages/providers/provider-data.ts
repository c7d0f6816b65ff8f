import type {
  credentialResource,
  credentialTestResult,
  providerResource,
} from '@floe/contract/api/providers';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { getWithETag } from '../../data/api-client.ts';
import { type Top, topQuery } from '../../data/charts.ts';

export type Provider = z.output<typeof providerResource>;
export type Credential = z.output<typeof credentialResource>;
export type CredentialTest = z.output<typeof credentialTestResult>;
export type Traffic = Top['data'][number];

export const ALL = 'api/management/providers';
/** The queries that a change of a provider makes stale. */
export const TOUCHES = [['providers'], ['models'], ['breakers']];

export function providerPath(id: string): string {
  return `${ALL}/${encodeURIComponent(id)}`;
}

export function providerQuery(id: string) {
  return queryOptions({
    queryKey: ['providers', 'one', id],
    queryFn: ({ signal }) => getWithETag<Provider>(providerPath(id), signal),
  });
}

/** The requests of the last 24 hours by provider. */
export const trafficQuery = { ...topQuery({ by: 'provider', limit: 100 }), refetchInterval: 30_000 };
