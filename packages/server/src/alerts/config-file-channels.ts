import type { ChannelConfig } from '@floe/contract/config';
import { createId } from '../core/ids.ts';
import {
  defineConfigFileResourceKind,
  type StoredResourceKind,
} from '../platform/config-file-resource-kind.ts';
import type { SecretEncryptionKey } from '../platform/secrets.ts';
import { failPendingAlertDeliveries } from '../store/alert-deliveries.ts';
import { type ChannelRow, insertChannel, listAllChannels, updateChannel } from '../store/channels.ts';
import { toChannelResource } from './channel-resource.ts';
import { removeChannel } from './remove-channel.ts';
import { toChannelColumns } from './stored-channel.ts';

const INITIAL_DELIVERY_STATE = { leased_by: null, leased_until: 0, backoff_until: 0, failures: 0 } as const;

/** The resource kind of channels, both from floe.yaml and created with the API. */
export const STORED_CHANNEL_RESOURCE_KIND: StoredResourceKind<ChannelConfig, ChannelRow> = {
  kind: 'channels',
  list: ({ channels }) => channels,
  nameOf: ({ name }) => name,
  stored: listAllChannels,
  storedName: ({ name }) => name,
  isReferenced: true,
};

/**
 * Returns the resource kind of channels in floe.yaml. They are stored with encrypted secrets, so
 * that every process can deliver to them.
 */
export function createConfigFileChannelResourceKind(key: SecretEncryptionKey, nowMs: number) {
  return defineConfigFileResourceKind({
    ...STORED_CHANNEL_RESOURCE_KIND,
    columns({ orgId, config }, before) {
      const place = before ?? { id: createId('chn', nowMs), org_id: orgId };
      return { id: place.id, ...toChannelColumns(config, place, key, nowMs) };
    },
    row: (columns): ChannelRow => ({ ...columns, ...INITIAL_DELIVERY_STATE }),
    insert: (writer, row) => insertChannel(writer, row),
    async update(writer, row, change, next) {
      // Clears the backoff, so that the channel is used again immediately.
      await updateChannel(writer, row.id, { ...change, backoff_until: 0 });
      if (next.enabled === 0)
        await failPendingAlertDeliveries(writer, row, 'the channel was disabled', nowMs);
    },
    remove: removeChannel,
    auditView: toChannelResource,
  });
}
