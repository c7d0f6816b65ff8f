import type { PlatformKey } from '@floe/contract/api/keys';
import type { modelResource } from '@floe/contract/api/models';
import type { providerResource } from '@floe/contract/api/providers';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { type ApiPage, getJson } from './api-client.ts';

/** Queries for the resources of a kind in the organization, to select from or to look up names. At most 500. */

/** A provider's model that the organization can use, or a route alias. */
export type ModelResource = z.output<typeof modelResource>;
/** A provider of the organization. */
export type ProviderResource = z.output<typeof providerResource>;

/**
 * Maximum number of entries that the API returns at once. In larger organizations, the user types the name.
 */
const MOST = 500;

/** The query for the models of the organization. Route aliases are included, with the kind `alias`. */
export const modelLookupQuery = queryOptions({
  queryKey: ['models', 'all'],
  queryFn: ({ signal }) => getJson<ApiPage<ModelResource>>('api/management/models', { limit: MOST }, signal),
  staleTime: 60_000,
});

/** The query for the providers of the organization. */
export const providerLookupQuery = queryOptions({
  queryKey: ['providers', 'all'],
  queryFn: ({ signal }) =>
    getJson<ApiPage<ProviderResource>>('api/management/providers', { limit: MOST }, signal),
});

/** The query for the platform keys of the organization, at most 500. `keysQuery` loads all keys. */
export const keyLookupQuery = queryOptions({
  queryKey: ['keys', 'all'],
  queryFn: ({ signal }) => getJson<ApiPage<PlatformKey>>('api/management/keys', { limit: MOST }, signal),
});
