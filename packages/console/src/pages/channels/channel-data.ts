import type { alert, Channel, channelTest } from '@floe/contract/api/channels';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { get, getTagged, type Page, send } from '../../data/api-client.ts';

export type Alert = z.output<typeof alert>;
export type ChannelTest = z.output<typeof channelTest>;

const LIST = 'api/monitoring/channels';

export function channelPath(id: string, tail = ''): string {
  return `${LIST}/${encodeURIComponent(id)}${tail}`;
}

export const channelsQuery = queryOptions({
  queryKey: ['channels', 'list'],
  queryFn: ({ signal }) => get<Page<Channel>>(LIST, { limit: 500 }, signal),
});

export function channelQuery(id: string) {
  return queryOptions({
    queryKey: ['channels', 'one', id],
    queryFn: ({ signal }) => getTagged<Channel>(channelPath(id), signal),
    refetchOnWindowFocus: false,
  });
}

/** Alerts with what became of them in each channel: the delivery log. */
export function alertsQuery(filters: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    queryKey: ['alerts', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      get<Page<Alert>>('api/monitoring/alerts', { ...filters, limit: 50, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

export const testChannel = (id: string) => send<ChannelTest>('POST', channelPath(id, '/test'));
export const testDraft = (body: object) => send<ChannelTest>('POST', `${LIST}/test`, body);
export const createChannel = (body: object) => send<Channel>('POST', LIST, body);
