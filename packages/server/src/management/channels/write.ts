import type { Channel } from '@floe/contract/api/channels';
import type { ChannelConfig } from '@floe/contract/config';
import { channelView } from '../../alerts/channel-view.ts';
import { channelColumns } from '../../alerts/stored-channel.ts';
import { newId } from '../../core/ids.ts';
import type { SecretsKey } from '../../platform/secrets.ts';
import { type ChannelRow, changeChannel, insertChannel } from '../../store/channels.ts';
import { abandonDeliveries } from '../../store/deliveries.ts';
import type { Writer } from '../../store/ports.ts';
import type { Change, VerbContext } from '../verb.ts';
import { mustBeFree } from './find.ts';

type Context = VerbContext & { readonly writer: Writer };

interface Wanted {
  readonly config: ChannelConfig;
  readonly enabled: boolean;
}

interface Done {
  readonly answer: Channel;
  readonly audit: Change | 'unchanged';
}

/** Adds a channel, its secrets sealed. @throws Fault `conflict` when the name is taken */
export async function addChannel(
  { orgId, actor, clock, writer }: Context,
  { config, enabled }: Wanted,
  secretsKey: SecretsKey,
): Promise<Done> {
  await mustBeFree(writer, orgId, config.name);
  const now = clock.now();
  const place = { id: newId('chn', now), org_id: orgId };
  const row: ChannelRow = {
    ...place,
    ...channelColumns(config, place, secretsKey, now),
    enabled: enabled ? 1 : 0,
    source: 'console',
    source_file: null,
    source_line: null,
    created_at: now,
    updated_at: now,
    updated_by: actor.id,
    leased_by: null,
    leased_until: 0,
    resting_until: 0,
    failures: 0,
  };
  await insertChannel(writer, row);
  const after = channelView(row);
  return { answer: after, audit: { subject: row.id, before: null, after } };
}

/**
 * Gives a stored channel another configuration; it is tried again at once, however it failed before. What it has
 * already changes nothing.
 */
export async function replaceChannel(
  { orgId, actor, clock, writer }: Context,
  row: ChannelRow,
  { config, enabled }: Wanted,
  secretsKey: SecretsKey,
): Promise<Done> {
  if (config.name !== row.name) await mustBeFree(writer, orgId, config.name);
  const now = clock.now();
  const wanted = {
    ...channelColumns(config, row, secretsKey, now, row),
    enabled: enabled ? 1 : 0,
    resting_until: 0,
    failures: 0,
  };
  const stored: Readonly<Record<string, unknown>> = { ...row };
  if (Object.entries(wanted).every(([column, value]) => stored[column] === value))
    return { answer: channelView(row), audit: 'unchanged' };
  const columns = { ...wanted, updated_at: now, updated_by: actor.id };
  await changeChannel(writer, row.id, columns);
  if (!enabled) await abandonDeliveries(writer, row, 'the channel was disabled', now);
  const after = channelView({ ...row, ...columns });
  return { answer: after, audit: { subject: row.id, before: channelView(row), after } };
}
