import type { ProviderConfig } from '@floe/contract/config';
import { isObject } from '@floe/contract/json';
import * as z from 'zod';
import { findProviderSheet } from '../../providers/provider-sheets.ts';
import type { ConfigEntryRow, ProviderCredentialRow } from '../../store/config-entries.ts';
import { openSecret, type SecretBinding, type SecretsKey, sealSecret } from '../secrets.ts';

/** What of a provider is never shown, but for its keys, which have rows of their own. */
const Secrets = z.strictObject({
  headers: z.record(z.string(), z.string()).default({}),
  secret_access_key: z.string().optional(),
  session_token: z.string().optional(),
});
export type ProviderSecrets = z.output<typeof Secrets>;

export const NO_PROVIDER_SECRETS: ProviderSecrets = { headers: {} };

/** A provider in two parts: what may be shown and stored as it is, and what is sealed. */
export function splitProviderSecrets(config: ProviderConfig): {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly secrets: ProviderSecrets;
} {
  const { credentials: _, headers, identity, ...entry } = config;
  const { secret_access_key, session_token, ...shown } = identity ?? {};
  return {
    entry: identity === undefined ? entry : { ...entry, identity: shown },
    secrets: Secrets.parse({ headers, secret_access_key, session_token }),
  };
}

/** The two parts together again, in the form of floe.yaml. */
export function joinProviderSecrets(
  entry: Readonly<Record<string, unknown>>,
  { headers, ...keys }: ProviderSecrets,
): Record<string, unknown> {
  const shown = entry['identity'];
  const given = Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
  return { ...entry, headers, ...(isObject(shown) && { identity: { ...shown, ...given } }) };
}

export function hasProviderSecrets(secrets: ProviderSecrets): boolean {
  const { headers, ...keys } = secrets;
  return Object.keys(headers).length > 0 || Object.values(keys).some((value) => value !== undefined);
}

export function sealProviderSecrets(
  secrets: ProviderSecrets,
  row: Pick<ConfigEntryRow, 'org_id' | 'row_id'>,
  version: number,
  key: SecretsKey,
): string | null {
  return hasProviderSecrets(secrets)
    ? sealSecret(JSON.stringify(secrets), entrySecretBinding(row, version), key)
    : null;
}

/** @throws UnreadableSecretError */
export function openProviderSecrets(row: ConfigEntryRow, key: SecretsKey): ProviderSecrets {
  if (row.secrets_sealed === null) return NO_PROVIDER_SECRETS;
  return Secrets.parse(
    JSON.parse(openSecret(row.secrets_sealed, entrySecretBinding(row, row.secrets_version), key)),
  );
}

export function entrySecretBinding(
  row: Pick<ConfigEntryRow, 'org_id' | 'row_id'>,
  version: number,
): SecretBinding {
  return { orgId: row.org_id, rowId: row.row_id, version };
}

export function credentialSecretBinding(
  row: Pick<ProviderCredentialRow, 'org_id' | 'id'>,
  version: number,
): SecretBinding {
  return { orgId: row.org_id, rowId: row.id, version };
}

/** Where the keys of a provider go: scheme, host and port of its address, or of its kind's public one. */
export function providerOrigin({ kind, base_url }: Pick<ProviderConfig, 'kind' | 'base_url'>): string {
  return parseOrigin(base_url ?? findProviderSheet(kind)?.baseUrl ?? '');
}

/** Whether a provider goes where its kind goes by itself, so that what the machine lends may go there too. */
export function usesDefaultOrigin({ kind, base_url }: Pick<ProviderConfig, 'kind' | 'base_url'>): boolean {
  return (
    base_url === undefined || parseOrigin(base_url) === parseOrigin(findProviderSheet(kind)?.baseUrl ?? '')
  );
}

/** The host of a public address may hold a place for the region, so it is no URL yet. */
function parseOrigin(address: string): string {
  if (URL.canParse(address) && !address.includes('{')) return new URL(address).origin;
  return /^[a-z]+:\/\/[^/]+/i.exec(address)?.[0].toLowerCase() ?? address;
}

/** The end of a key; of a short one it would tell too much. */
export function last4Of(secret: string): string | null {
  return secret.length < 16 ? null : secret.slice(-4);
}
