import {
  type Channel,
  channel,
  channelChange,
  channelCreation,
  channelReplacement,
} from '@floe/contract/api/channels';
import { listQuery } from '@floe/contract/api/page';
import type { ChannelConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { channelView } from '../../alerts/channel-view.ts';
import { removeChannel } from '../../alerts/remove-channel.ts';
import { channelColumns, openChannel, SECRET_FIELDS } from '../../alerts/stored-channel.ts';
import { newId } from '../../core/ids.ts';
import type { SecretsKey } from '../../platform/secrets.ts';
import {
  type ChannelRow,
  changeChannel,
  channelById,
  channelPage,
  insertChannel,
} from '../../store/channels.ts';
import { abandonDeliveries } from '../../store/deliveries.ts';
import type { Reader } from '../../store/ports.ts';
import { draftOf } from '../channels/channel-draft.ts';
import { mustNotBeInFile } from '../managed-by-file.ts';
import type { Writing } from '../verb-definition.ts';
import { isStored } from './is-stored.ts';
import type { ResourceKind } from './resource-kind.ts';

interface Wanted {
  readonly config: ChannelConfig;
  readonly enabled: boolean;
}

const SHAPES = {
  answer: channel,
  list: listQuery(),
  creation: channelCreation,
  change: channelChange,
  replacement: channelReplacement,
};

type ChannelKind = ResourceKind<ChannelRow, Wanted, Channel, typeof SHAPES>;

const SUMMARIES = {
  list: 'List alert channels, newest first',
  create: 'Create an alert channel; its secrets are stored encrypted',
  get: 'Read one alert channel, by id or name; its secrets are never shown',
  update: 'Change an alert channel; a webhook signs with its earlier secret too for 24 hours',
  replace: 'Create or replace an alert channel by its id or name',
  delete: 'Remove an alert channel; what it was sent stays in the log',
};

/** Alert channels. Secrets that a replacement leaves out stay. */
// budget: one declaration
export function alertChannels(secretsKey: SecretsKey): ChannelKind {
  return {
    kind: 'channels',
    path: '/api/monitoring/channels',
    scope: 'monitoring',
    live: ['failures', 'resting_until'],
    summaries: SUMMARIES,
    shapes: SHAPES,
    unknown: 'No channel has this id or name.',
    find: channelById,
    page: ({ reader, orgId }, query) => channelPage(reader, { orgId, ...query }),
    view: channelView,
    mustBeChangeable: (row) => mustNotBeInFile('channel', row.name, row),
    created: (_, { body }) => ({ config: draftOf(body, null), enabled: body.enabled ?? true }),
    changed({ clock }, row, { body }) {
      const current = openChannel(row, secretsKey, clock.now()).config;
      return { config: draftOf(body, current), enabled: body.enabled ?? row.enabled === 1 };
    },
    replaced({ clock }, row, id, { body }) {
      const enabled = body.enabled ?? true;
      if (!row) return { config: draftOf({ ...body, name: body.name ?? id }, null), enabled };
      const current = openChannel(row, secretsKey, clock.now()).config;
      const known: Readonly<Record<string, unknown>> = body.kind === row.kind ? current : {};
      const secrets = Object.fromEntries(
        SECRET_FIELDS.flatMap((field) => (Object.hasOwn(known, field) ? [[field, known[field]]] : [])),
      );
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      // First as a change, for the rule about credentials and addresses; then alone, so that the rest is default.
      if (body.kind === row.kind) draftOf(body, current);
      return { config: draftOf({ ...secrets, name: row.name, ...given }, null), enabled };
    },
    async insert({ orgId, actor, clock, writer }, { config, enabled }) {
      await nameMustBeFree(writer, orgId, config.name);
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
      return row;
    },
    update: (context, row, wanted) => update(context, row, wanted, secretsKey),
    remove: ({ writer, clock }, row) => removeChannel(writer, row, clock.now()),
  };
}

/** A channel that was changed is tried again at once, however it failed before. */
async function update(
  { orgId, actor, clock, writer }: Writing,
  row: ChannelRow,
  { config, enabled }: Wanted,
  secretsKey: SecretsKey,
): Promise<ChannelRow | null> {
  if (config.name !== row.name) await nameMustBeFree(writer, orgId, config.name);
  const now = clock.now();
  const wanted = {
    ...channelColumns(config, row, secretsKey, now),
    enabled: enabled ? 1 : 0,
    resting_until: 0,
    failures: 0,
  };
  if (isStored(row, wanted)) return null;
  const columns = { ...wanted, updated_at: now, updated_by: actor.id };
  await changeChannel(writer, row.id, columns);
  if (!enabled) await abandonDeliveries(writer, row, 'the channel was disabled', now);
  return { ...row, ...columns };
}

/** @throws Fault `conflict` */
async function nameMustBeFree(reader: Reader, orgId: string, name: string): Promise<void> {
  const other = await channelById(reader, orgId, name);
  if (other) throw new Fault('conflict', `The channel ${other.id} has this name.`, { param: 'name' });
}
