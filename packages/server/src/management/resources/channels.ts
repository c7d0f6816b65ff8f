import {
  type Channel,
  channelCreation,
  channelPatch,
  channelReplacement,
  channelResource,
} from '@floe/contract/api/channels';
import { createListQuerySchema } from '@floe/contract/api/page';
import type { ChannelConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { toChannelResource } from '../../alerts/channel-resource.ts';
import { removeChannel } from '../../alerts/remove-channel.ts';
import {
  CHANNEL_SECRET_FIELDS,
  listUnreadableChannelSecretNames,
  readChannelFields,
  toChannelColumns,
} from '../../alerts/stored-channel.ts';
import { createId } from '../../core/ids.ts';
import type { SecretEncryptionKey } from '../../platform/secrets.ts';
import { failPendingAlertDeliveries } from '../../store/alert-deliveries.ts';
import {
  type ChannelRow,
  findChannelByIdOrName,
  getChannelPage,
  insertChannel,
  updateChannel,
} from '../../store/channels.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { buildChannelConfig, type ChannelInputFields } from '../channels/channel-config.ts';
import { requireNotManagedByFile } from '../managed-by-file.ts';
import { MONITORING_SCOPES } from '../monitors/monitoring-dependencies.ts';
import type { WriteOperationContext } from '../operation-definition.ts';
import { requireResendOfUnreadableSecrets } from '../readable-secret.ts';
import { hasColumnValues } from './has-column-values.ts';
import type { ResourceKind } from './resource-kind.ts';

const CHANNEL_SCHEMAS = {
  answer: channelResource,
  list: createListQuerySchema(),
  creation: channelCreation,
  change: channelPatch,
  replacement: channelReplacement,
};

type ChannelResourceKind = ResourceKind<ChannelRow, ChannelConfig, Channel, typeof CHANNEL_SCHEMAS>;

const CHANNEL_SUMMARIES = {
  list: 'List alert channels, newest first',
  create: 'Create an alert channel; its secrets are stored encrypted',
  get: 'Read one alert channel, by id or name; its secrets are never shown',
  update:
    'Change an alert channel; after the secret of a webhook changes, Floe signs alerts with both secrets for 24 hours',
  replace: 'Create or replace an alert channel by its id or name',
  delete: 'Remove an alert channel; its pending deliveries fail, but its delivery history is kept',
};

// budget: one declaration
/** Creates the resource kind of alert channels. A replacement without secrets keeps the stored secrets. */
export function createChannelResourceKind(secretsKey: SecretEncryptionKey): ChannelResourceKind {
  return {
    kind: 'channels',
    path: '/api/monitoring/channels',
    scope: MONITORING_SCOPES,
    volatileFields: ['failures', 'backoff_until'],
    summaries: CHANNEL_SUMMARIES,
    schemas: CHANNEL_SCHEMAS,
    notFoundMessage: 'No channel has this id or name.',
    find: findChannelByIdOrName,
    getPage: ({ reader, orgId }, query) => getChannelPage(reader, { orgId, ...query }),
    toResource: toChannelResource,
    requireChangeable: (row) => requireNotManagedByFile('channel', row.name, row),
    configFromCreation: (_, { body }) => buildChannelConfig(body, null),
    configFromPatch: (_, row, { body }) => buildChannelConfig(body, readCurrentFields(row, body, secretsKey)),
    configFromReplacement(_, row, id, { body }) {
      if (!row) return buildChannelConfig({ ...body, name: body.name ?? id }, null);
      const current = body.kind === row.kind ? readCurrentFields(row, body, secretsKey) : {};
      const secrets = Object.fromEntries(
        CHANNEL_SECRET_FIELDS.flatMap((field) =>
          Object.hasOwn(current, field) ? [[field, current[field]]] : [],
        ),
      );
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      // First validate as a change, for the rule on credentials and destinations. Then build without the
      // current values, so that absent fields have their defaults.
      if (body.kind === row.kind) buildChannelConfig(body, current);
      return buildChannelConfig({ ...secrets, name: row.name, ...given }, null);
    },
    async insert({ orgId, actor, clock, writer }, config) {
      await requireFreeChannelName(writer, orgId, config.name);
      const now = clock.now();
      const binding = { id: createId('chn', now), org_id: orgId };
      const row: ChannelRow = {
        ...binding,
        ...toChannelColumns(config, binding, secretsKey, now),
        source: 'console',
        source_file: null,
        source_line: null,
        created_at: now,
        updated_at: now,
        updated_by: actor.id,
        leased_by: null,
        leased_until: 0,
        backoff_until: 0,
        failures: 0,
      };
      await insertChannel(writer, row);
      return row;
    },
    update: (context, row, wanted) => updateStoredChannel(context, row, wanted, secretsKey),
    remove: ({ writer, clock }, row) => removeChannel(writer, row, clock.now()),
  };
}

/**
 * Returns the stored fields that a request updates.
 * @throws Fault `invalid_request` if a stored secret cannot be decrypted and the request does not contain it
 */
function readCurrentFields(
  row: ChannelRow,
  body: ChannelInputFields,
  key: SecretEncryptionKey,
): ChannelInputFields {
  requireResendOfUnreadableSecrets(
    listUnreadableChannelSecretNames(row, key),
    (name) => body[name] !== undefined,
  );
  return readChannelFields(row, key);
}

/** Updates a channel and retries its deliveries immediately, regardless of earlier failures. */
async function updateStoredChannel(
  { orgId, actor, clock, writer }: WriteOperationContext,
  row: ChannelRow,
  config: ChannelConfig,
  secretsKey: SecretEncryptionKey,
): Promise<ChannelRow | null> {
  if (config.name !== row.name) await requireFreeChannelName(writer, orgId, config.name);
  const now = clock.now();
  const wanted = {
    ...toChannelColumns(config, row, secretsKey, now),
    backoff_until: 0,
    failures: 0,
  };
  if (hasColumnValues(row, wanted)) return null;
  const columns = { ...wanted, updated_at: now, updated_by: actor.id };
  await updateChannel(writer, row.id, columns);
  if (!config.enabled) await failPendingAlertDeliveries(writer, row, 'the channel was disabled', now);
  return { ...row, ...columns };
}

/** @throws Fault `conflict` if another channel has this name */
async function requireFreeChannelName(reader: DatabaseReader, orgId: string, name: string): Promise<void> {
  const other = await findChannelByIdOrName(reader, orgId, name);
  if (other)
    throw new Fault('conflict', `The channel ${other.id} already has this name. Choose another name.`, {
      param: 'name',
    });
}
