import type { ChannelConfig } from '@floe/contract/config';
import { newId } from '../core/ids.ts';
import { fileKind, type StoredListKind } from '../platform/file-sync.ts';
import type { SecretsKey } from '../platform/secrets.ts';
import { allChannels, type ChannelRow, changeChannel, insertChannel } from '../store/channels.ts';
import { channelView } from './channel-view.ts';
import { removeChannel } from './remove-channel.ts';
import { channelColumns } from './stored-channel.ts';

const UNUSED = { leased_by: null, leased_until: 0, resting_until: 0, failures: 0 } as const;

/** Channels, in floe.yaml and stored. */
export const CHANNELS: StoredListKind<ChannelConfig, ChannelRow> = {
  kind: 'channels',
  list: ({ channels }) => channels,
  nameOf: ({ name }) => name,
  stored: allChannels,
  storedName: ({ name }) => name,
  isNamed: true,
};

/** Channels of floe.yaml, stored with their secrets sealed, so that every process can deliver to them. */
export function fileChannels(key: SecretsKey, nowMs: number) {
  return fileKind({
    ...CHANNELS,
    columns({ orgId, config }, before) {
      const place = before ?? { id: newId('chn', nowMs), org_id: orgId };
      return { id: place.id, ...channelColumns(config, place, key, nowMs), enabled: 1 };
    },
    row: (columns): ChannelRow => ({ ...columns, ...UNUSED }),
    insert: (writer, row) => insertChannel(writer, row),
    // It is tried again at once, however it failed before.
    update: (writer, { id }, change) => changeChannel(writer, id, { ...change, resting_until: 0 }),
    remove: removeChannel,
    shown: channelView,
  });
}
