import type { Board } from '@floe/contract/api/boards';
import type { Channel } from '@floe/contract/api/channels';
import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import { queryOptions } from '@tanstack/react-query';
import { type ApiPage, getJson } from '../../data/api-client.ts';

/** The queries for other resources that the pages of monitors show. */

/** The query for the channels, at most 500. Monitors refer to channels by name. */
export const channelLookupQuery = queryOptions({
  queryKey: ['channels', 'names'],
  queryFn: ({ signal }) => getJson<ApiPage<Channel>>('api/monitoring/channels', { limit: 500 }, signal),
  staleTime: 30_000,
});

/** The query for the boards of the organization, at most 500. */
export const boardLookupQuery = queryOptions({
  queryKey: ['boards', 'all'],
  queryFn: ({ signal }) => getJson<ApiPage<Board>>('api/monitoring/boards', { limit: 500 }, signal),
});

/** The query for the maintenance windows of the organization, at most 500. */
export const maintenanceWindowLookupQuery = queryOptions({
  queryKey: ['maintenance', 'all'],
  queryFn: ({ signal }) =>
    getJson<ApiPage<MaintenanceWindow>>('api/monitoring/maintenance', { limit: 500 }, signal),
});
