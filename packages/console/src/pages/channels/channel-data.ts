import type { alertResource, Channel, channelTestResult } from '@floe/contract/api/channels';
import { infiniteQueryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { type ApiPage, getJson, sendJson } from '../../data/api-client.ts';
import { type ConsoleResourceKind, resourcePath } from '../../data/resource-kind.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import { type ChannelForm, channelBody, channelChangeBody, channelFormOf } from './channel-form.ts';

export type ConsoleAlert = z.output<typeof alertResource>;
export type ChannelTestReport = z.output<typeof channelTestResult>;

/** Channels, as their drawer and list handle them. */
export const CHANNEL_RESOURCE: ConsoleResourceKind<Channel, ChannelForm> = {
  one: 'channel',
  path: 'api/monitoring/channels',
  touches: [['channels']],
  needs: 'monitoring',
  formOf: channelFormOf,
  bodyOf: channelBody,
  changeOf: channelChangeBody,
  removal: ({ name }) => ({
    title: `Delete channel ${name}?`,
    effect: 'It is told nothing from then on. Monitors that name only this channel tell nobody.',
  }),
};

/** Alerts with what became of them in each channel: the delivery log. */
export function alertsQuery(filters: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    queryKey: ['alerts', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      getJson<ApiPage<ConsoleAlert>>('api/monitoring/alerts', { ...filters, limit: 50, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

export const testChannel = (id: string) =>
  sendJson<ChannelTestReport>('POST', `${resourcePath(CHANNEL_RESOURCE, id)}/test`);
export const testChannelDraft = (body: object) => sendJson<ChannelTestReport>('POST', `${CHANNEL_RESOURCE.path}/test`, body);

/** What became of a message: the same shape and words wherever it is told. */
export const DELIVERY_LABELS: Readonly<
  Record<ConsoleAlert['deliveries'][number]['state'], { readonly state: DisplayStatus; readonly word: string }>
> = {
  sent: { state: 'healthy', word: 'delivered' },
  pending: { state: 'waiting', word: 'waits' },
  failed: { state: 'failing', word: 'given up' },
  muted: { state: 'maintenance', word: 'held back' },
  skipped: { state: 'paused', word: 'not sent' },
};
