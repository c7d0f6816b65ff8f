import type { Channel } from '@floe/contract/api/channels';
import { channel } from '@floe/contract/api/channels';
import * as z from 'zod';
import { placeOf } from '../platform/file-place.ts';
import type { ChannelRow } from '../store/channels.ts';

const Settings = z.object({
  events: channel.shape.events.optional(),
  tags: channel.shape.tags,
  realert_minutes: channel.shape.realert_minutes,
  to: channel.shape.to.optional(),
  chat_id: channel.shape.chat_id.optional(),
  base_url: channel.shape.base_url.optional(),
});

/** A channel as the API and the audit log show it; its secrets stay sealed. */
export function channelView(row: ChannelRow): Channel {
  const settings = Settings.parse(JSON.parse(row.settings_json));
  return {
    id: row.id,
    name: row.name,
    kind: channel.shape.kind.parse(row.kind),
    enabled: row.enabled === 1,
    events: settings.events ?? null,
    tags: settings.tags,
    realert_minutes: settings.realert_minutes,
    to: settings.to ?? null,
    chat_id: settings.chat_id ?? null,
    base_url: settings.base_url ?? null,
    url_origin: row.url_origin,
    failures: row.failures,
    resting_until: row.resting_until === 0 ? null : new Date(row.resting_until).toISOString(),
    source: placeOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
