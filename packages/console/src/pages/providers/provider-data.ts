import type { credential, credentialTest, provider } from '@floe/contract/api/providers';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { getTagged } from '../../data/api-client.ts';
import { type Top, topQuery } from '../../data/charts.ts';

export type Provider = z.output<typeof provider>;
export type Credential = z.output<typeof credential>;
export type CredentialTest = z.output<typeof credentialTest>;
export type Traffic = Top['data'][number];

export const ALL = 'api/management/providers';
/** What a change of a provider makes stale. */
export const TOUCHES = [['providers'], ['models'], ['breakers']];

export function providerPath(id: string): string {
  return `${ALL}/${encodeURIComponent(id)}`;
}

export function providerQuery(id: string) {
  return queryOptions({
    queryKey: ['providers', 'one', id],
    queryFn: ({ signal }) => getTagged<Provider>(providerPath(id), signal),
  });
}

/** Requests of the last 24 hours by provider. */
export const trafficQuery = { ...topQuery({ by: 'provider', limit: 100 }), refetchInterval: 30_000 };
