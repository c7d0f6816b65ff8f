import type { PlatformKey } from '@floe/contract/api/keys';
import type { modelResource } from '@floe/contract/api/models';
import type { providerResource } from '@floe/contract/api/providers';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { type ApiPage, getJson } from './api-client.ts';

/** What the org has of a kind, in one answer: to choose from, and to call by its name. */

export type ModelResource = z.output<typeof modelResource>;
export type Provider = z.output<typeof providerResource>;

/** The most that the API gives at once; who has more types a name. */
const MOST = 500;

/** Routes among them, as kind `alias`. */
export const orgModelsQuery = queryOptions({
  queryKey: ['models', 'all'],
  queryFn: ({ signal }) => getJson<ApiPage<ModelResource>>('api/management/models', { limit: MOST }, signal),
  staleTime: 60_000,
});

export const orgProvidersQuery = queryOptions({
  queryKey: ['providers', 'all'],
  queryFn: ({ signal }) => getJson<ApiPage<Provider>>('api/management/providers', { limit: MOST }, signal),
});

export const orgKeysQuery = queryOptions({
  queryKey: ['keys', 'all'],
  queryFn: ({ signal }) => getJson<ApiPage<PlatformKey>>('api/management/keys', { limit: MOST }, signal),
});
