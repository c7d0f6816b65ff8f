import type { Channel } from '@floe/contract/api/channels';
import { channelFieldsStoredAsIs, channelResource } from '@floe/contract/api/channels';
import { toResourceSource } from '../platform/source-location.ts';
import type { ChannelRow } from '../store/channels.ts';

/** Converts a channel to the form that the API and the audit log show, without its secrets. */
export function toChannelResource(row: ChannelRow): Channel {
  return {
    id: row.id,
    name: row.name,
    kind: channelResource.shape.kind.parse(row.kind),
    enabled: row.enabled === 1,
    ...channelFieldsStoredAsIs.parse(JSON.parse(row.settings_json)),
    url_origin: row.url_origin,
    failures: row.failures,
    backoff_until: row.backoff_until === 0 ? null : new Date(row.backoff_until).toISOString(),
    source: toResourceSource(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
