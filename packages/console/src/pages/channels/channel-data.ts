import type { alertResource, Channel, channelTestResult } from '@floe/contract/api/channels';
import { infiniteQueryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { fetchNextNonEmptyPage, sendJson } from '../../data/api-client.ts';
import { buildResourceApiPath, type ConsoleResourceKind } from '../../data/resource-kind.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import {
  type ChannelFormValues,
  toChannelBody,
  toChannelFormValues,
  toChannelUpdateBody,
} from './channel-form.ts';
import { channelsText } from './text.ts';

/** An alert with its deliveries, as the API returns it. */
export type AlertResource = z.output<typeof alertResource>;
/** The result of sending a test message to a channel. */
export type ChannelTestResult = z.output<typeof channelTestResult>;

/** The resource kind of channels. The list and the drawer use it. */
export const CHANNEL_RESOURCE_KIND: ConsoleResourceKind<Channel, ChannelFormValues> = {
  one: channelsText.page.resource,
  path: 'api/monitoring/channels',
  touches: [['channels']],
  needs: 'monitoring',
  formOf: toChannelFormValues,
  bodyOf: (form) => toChannelBody(form),
  changeOf: toChannelUpdateBody,
  removal: ({ name }) => ({
    title: channelsText.drawer.deleteTitle(name),
    effect: channelsText.drawer.deleteEffect,
  }),
};

/** Returns the query for alerts with their deliveries, newest first. */
export function buildAlertsQuery(filters: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    queryKey: ['alerts', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      fetchNextNonEmptyPage<AlertResource>(
        'api/monitoring/alerts',
        { ...filters, limit: 50, cursor: pageParam },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Sends a test message to a saved channel. */
export const testChannel = (id: string) =>
  sendJson<ChannelTestResult>('POST', `${buildResourceApiPath(CHANNEL_RESOURCE_KIND, id)}/test`);
/** Sends a test message to a channel that is not saved yet. */
export const testChannelDraft = (body: object) =>
  sendJson<ChannelTestResult>('POST', `${CHANNEL_RESOURCE_KIND.path}/test`, body);

/** Describes the state of a delivery. A pending delivery that failed before will be retried. */
export function describeDeliveryState({
  state,
  attempts,
}: Pick<AlertResource['deliveries'][number], 'state' | 'attempts'>): string {
  return state === 'pending' && attempts > 0
    ? channelsText.deliveries.retrying
    : DELIVERY_STATE_DISPLAYS[state].word;
}

/** The icon and label of each delivery state. */
export const DELIVERY_STATE_DISPLAYS: Readonly<
  Record<
    AlertResource['deliveries'][number]['state'],
    { readonly state: DisplayStatus; readonly word: string }
  >
> = {
  sent: { state: 'healthy', word: channelsText.deliveries.sent },
  pending: { state: 'waiting', word: channelsText.deliveries.pending },
  failed: { state: 'failing', word: channelsText.deliveries.failed },
  muted: { state: 'maintenance', word: channelsText.deliveries.muted },
  skipped: { state: 'paused', word: channelsText.deliveries.skipped },
};
