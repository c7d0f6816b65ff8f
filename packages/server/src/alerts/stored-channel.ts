import type { ChannelConfig } from '@floe/contract/config';
import { ChannelSchema } from '@floe/contract/config/monitoring';
import * as z from 'zod';
import {
  decryptOrNull,
  decryptSecret,
  encryptSecret,
  type SecretEncryptionKey,
} from '../platform/secrets.ts';
import type { ChannelRow } from '../store/channels.ts';
import type { PreviousSigningSecret } from './channels/channel-definition.ts';

/**
 * The channel fields that are stored encrypted and never shown. URLs are among them because they can contain
 * tokens.
 */
export const CHANNEL_SECRET_FIELDS = ['url', 'secret', 'routing_key', 'token', 'bot_token'] as const;
/** Time for which requests are also signed with the previous secret of a webhook. */
const SECRET_ROTATION_MS = 24 * 60 * 60 * 1000;

const Secrets = z.strictObject({
  url: z.string().optional(),
  secret: z.string().optional(),
  routing_key: z.string().optional(),
  token: z.string().optional(),
  bot_token: z.string().optional(),
  previous_secret: z.string().optional(),
  previous_until: z.number().optional(),
});
type Secrets = z.output<typeof Secrets>;

/** A channel's complete configuration with decrypted secrets. */
export interface DecryptedChannel {
  readonly orgId: string;
  readonly config: ChannelConfig;
  readonly signing: PreviousSigningSecret;
}

/**
 * Returns a channel's configuration with decrypted secrets.
 * @throws UnreadableSecretError
 */
export function decryptChannel(row: ChannelRow, key: SecretEncryptionKey, nowMs: number): DecryptedChannel {
  const { previous_secret, previous_until = 0, ...secrets } = openChannelSecrets(row, key);
  const config = ChannelSchema.parse({
    ...JSON.parse(row.settings_json),
    enabled: row.enabled === 1,
    ...secrets,
  });
  const previousSecret = previous_secret !== undefined && previous_until > nowMs ? previous_secret : null;
  return { orgId: row.org_id, config, signing: { previousSecret } };
}

/** Returns the fields of a stored channel, without secrets that cannot be decrypted. */
export function readChannelFields(
  row: ChannelRow,
  key: SecretEncryptionKey,
): Readonly<Record<string, unknown>> {
  const { previous_secret: _, previous_until: __, ...secrets } = openReadableSecrets(row, key) ?? {};
  return { ...JSON.parse(row.settings_json), enabled: row.enabled === 1, ...secrets };
}

/** Returns the secret fields of a stored channel. If they cannot be decrypted, returns all that its kind may have. */
export function listChannelSecretNames(row: ChannelRow, key: SecretEncryptionKey): string[] {
  const secrets = openReadableSecrets(row, key);
  if (secrets === null) return listUnreadableChannelSecretNames(row, key);
  return CHANNEL_SECRET_FIELDS.filter((field) => secrets[field] !== undefined);
}

/** Returns the fields that may have a secret that cannot be decrypted. */
export function listUnreadableChannelSecretNames(row: ChannelRow, key: SecretEncryptionKey): string[] {
  if (openReadableSecrets(row, key) !== null) return [];
  const schema = ChannelSchema.options.find(({ shape }) => shape.kind.safeParse(row.kind).success);
  return CHANNEL_SECRET_FIELDS.filter((field) => schema !== undefined && field in schema.shape);
}

type ChannelColumns = Pick<
  ChannelRow,
  'name' | 'kind' | 'enabled' | 'settings_json' | 'url_origin' | 'secrets_sealed' | 'secrets_version'
>;

/**
 * Converts `config` to database columns. If the secrets of an existing row do not change, keeps their
 * encrypted form. Replaces secrets that cannot be decrypted. If a webhook's secret changes, requests are signed with both secrets for 24 hours.
 * @param place the existing row, or the ids of a new row
 */
export function toChannelColumns(
  config: ChannelConfig,
  place: ChannelRow | Pick<ChannelRow, 'id' | 'org_id'>,
  key: SecretEncryptionKey,
  nowMs: number,
): ChannelColumns {
  const before = 'secrets_sealed' in place ? place : null;
  const settings: Record<string, unknown> = {};
  const secrets: Record<string, unknown> = {};
  const { enabled, ...fields } = config;
  for (const [field, value] of Object.entries(fields)) (isSecret(field) ? secrets : settings)[field] = value;
  const url_origin = 'url' in config ? new URL(config.url).origin : null;
  const { name, kind } = config;
  const settings_json = JSON.stringify(settings);
  const shown = { name, kind, enabled: enabled ? 1 : 0, settings_json, url_origin };
  const now = Secrets.parse(secrets);
  const then = before?.kind === config.kind ? openReadableSecrets(before, key) : {};
  if (before && before.kind === config.kind && then !== null && haveSameSecrets(then, now))
    return { ...shown, secrets_sealed: before.secrets_sealed, secrets_version: before.secrets_version };
  const last = then?.secret;
  const rotated = last !== undefined && now.secret !== undefined && last !== now.secret;
  const kept = rotated ? { previous_secret: last, previous_until: nowMs + SECRET_ROTATION_MS } : {};
  const version = (before?.secrets_version ?? 0) + 1;
  const ciphertext = encryptSecret(JSON.stringify({ ...now, ...kept }), secretBinding(place, version), key);
  return { ...shown, secrets_sealed: ciphertext, secrets_version: version };
}

/** Returns null if the secrets cannot be decrypted. */
function openReadableSecrets(row: ChannelRow, key: SecretEncryptionKey): Secrets | null {
  return decryptOrNull(() => openChannelSecrets(row, key));
}

function openChannelSecrets(row: ChannelRow, key: SecretEncryptionKey): Secrets {
  if (row.secrets_sealed === null) return {};
  return Secrets.parse(
    JSON.parse(decryptSecret(row.secrets_sealed, secretBinding(row, row.secrets_version), key)),
  );
}

function secretBinding({ id, org_id }: Pick<ChannelRow, 'id' | 'org_id'>, version: number) {
  return { orgId: org_id, rowId: id, version };
}

function isSecret(field: string): boolean {
  return CHANNEL_SECRET_FIELDS.some((secret) => secret === field);
}

function haveSameSecrets(before: Secrets, now: Secrets): boolean {
  return CHANNEL_SECRET_FIELDS.every((field) => before[field] === now[field]);
}

/** The events and tags that a channel subscribes to, and its repeat interval (0 means never). */
export interface ChannelSubscription {
  readonly events: readonly string[] | null;
  readonly tags: readonly string[];
  readonly realertMinutes: number;
}

const Filters = z.object({
  events: z.array(z.string()).optional(),
  tags: z.array(z.string()),
  realert_minutes: z.number(),
});

/** Parses a channel's subscription without decrypting its secrets. */
export function parseChannelSubscription({
  settings_json,
}: Pick<ChannelRow, 'settings_json'>): ChannelSubscription {
  const { events, tags, realert_minutes } = Filters.parse(JSON.parse(settings_json));
  return { events: events ?? null, tags, realertMinutes: realert_minutes };
}
