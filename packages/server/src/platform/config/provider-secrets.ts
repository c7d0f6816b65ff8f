import type { ProviderConfig } from '@floe/contract/config';
import { isJsonObject } from '@floe/contract/json';
import * as z from 'zod';
import { findProviderDefinition } from '../../providers/provider-definitions.ts';
import type { ConfigEntryRow, ProviderCredentialRow } from '../../store/config-entries.ts';
import { decryptSecret, encryptSecret, type SecretEncryptionKey, type SecretLocation } from '../secrets.ts';

/** The secrets of a provider, except its credentials. Credentials have their own rows. */
const Secrets = z.strictObject({
  headers: z.record(z.string(), z.string()).default({}),
  secret_access_key: z.string().optional(),
  session_token: z.string().optional(),
  /** User and password of the proxy as in a URL: `user:password`, percent-encoded. */
  proxy_userinfo: z.string().optional(),
});
export type ProviderSecrets = z.output<typeof Secrets>;

export const NO_PROVIDER_SECRETS: ProviderSecrets = { headers: {} };

/** Splits a provider's configuration into the part that may be shown and the secrets. */
export function splitProviderSecrets(config: ProviderConfig): {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly secrets: ProviderSecrets;
} {
  const { credentials: _, headers, identity, outbound, ...entry } = config;
  const { secret_access_key, session_token, ...shown } = identity ?? {};
  const { address, userinfo } = splitProxyUrl(outbound?.proxy ?? '');
  return {
    entry: {
      ...entry,
      ...(outbound && { outbound: { ...outbound, proxy: address } }),
      ...(identity && { identity: shown }),
    },
    secrets: Secrets.parse({ headers, secret_access_key, session_token, proxy_userinfo: userinfo }),
  };
}

/** Combines the part that may be shown with the secrets. The result is a provider in floe.yaml format. */
export function joinProviderSecrets(
  entry: Readonly<Record<string, unknown>>,
  { headers, proxy_userinfo, ...keys }: ProviderSecrets,
): Record<string, unknown> {
  const { identity, outbound } = entry;
  const given = Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
  return {
    ...entry,
    headers,
    ...(isJsonObject(identity) && { identity: { ...identity, ...given } }),
    ...(isJsonObject(outbound) && {
      outbound: { ...outbound, proxy: joinProxyUrl(String(outbound['proxy']), proxy_userinfo) },
    }),
  };
}

/**
 * Splits a proxy URL into the part that may be shown, and the user and password (RFC 3986, section
 * 3.2.1).
 */
export function splitProxyUrl(proxy: string): {
  readonly address: string;
  readonly userinfo: string | undefined;
} {
  const [, scheme, userinfo, rest] = /^(https?:\/\/)([^/?#]*)@(.*)$/is.exec(proxy) ?? [];
  return userinfo ? { address: `${scheme}${rest}`, userinfo } : { address: proxy, userinfo: undefined };
}

/** Combines the two parts of a proxy URL. */
export function joinProxyUrl(address: string, userinfo: string | undefined): string {
  return userinfo === undefined ? address : address.replace('://', () => `://${userinfo}@`);
}

/** Returns whether a provider has any secrets. */
export function hasProviderSecrets(secrets: ProviderSecrets): boolean {
  const { headers, ...keys } = secrets;
  return Object.keys(headers).length > 0 || Object.values(keys).some((value) => value !== undefined);
}

/** Encrypts a provider's secrets for its row. Returns null if there are none. */
export function encryptProviderSecrets(
  secrets: ProviderSecrets,
  row: Pick<ConfigEntryRow, 'org_id' | 'row_id'>,
  version: number,
  key: SecretEncryptionKey,
): string | null {
  return hasProviderSecrets(secrets)
    ? encryptSecret(JSON.stringify(secrets), toEntrySecretLocation(row, version), key)
    : null;
}

/**
 * Decrypts a provider's secrets.
 * @throws UnreadableSecretError if `key` cannot decrypt them
 */
export function decryptProviderSecrets(row: ConfigEntryRow, key: SecretEncryptionKey): ProviderSecrets {
  if (row.secrets_sealed === null) return NO_PROVIDER_SECRETS;
  return Secrets.parse(
    JSON.parse(decryptSecret(row.secrets_sealed, toEntrySecretLocation(row, row.secrets_version), key)),
  );
}

/**
 * Returns the location (organization, row and version) that the encryption of the secrets of a config entry is bound
 * to.
 */
export function toEntrySecretLocation(
  row: Pick<ConfigEntryRow, 'org_id' | 'row_id'>,
  version: number,
): SecretLocation {
  return { orgId: row.org_id, rowId: row.row_id, version };
}

/** Returns the location that a provider credential is encrypted for. */
export function toCredentialSecretLocation(
  row: Pick<ProviderCredentialRow, 'org_id' | 'id'>,
  version: number,
): SecretLocation {
  return { orgId: row.org_id, rowId: row.id, version };
}

/**
 * Decrypts the value of a provider credential.
 * @throws UnreadableSecretError if `key` cannot decrypt it
 */
export function decryptProviderCredential(row: ProviderCredentialRow, key: SecretEncryptionKey): string {
  return decryptSecret(row.sealed, toCredentialSecretLocation(row, row.version), key);
}

/**
 * Returns the origin that a provider's credentials are sent to: the origin of its base URL, or of
 * the public URL for its kind.
 */
export function getProviderOrigin({ kind, base_url }: Pick<ProviderConfig, 'kind' | 'base_url'>): string {
  return parseOrigin(base_url ?? findProviderDefinition(kind)?.baseUrl ?? '');
}

/**
 * Returns whether a provider's base URL has the same origin as the public URL for its kind. Only then may
 * credentials from this host's environment be sent to it.
 */
export function usesDefaultOrigin({ kind, base_url }: Pick<ProviderConfig, 'kind' | 'base_url'>): boolean {
  return (
    base_url === undefined ||
    parseOrigin(base_url) === parseOrigin(findProviderDefinition(kind)?.baseUrl ?? '')
  );
}

/** The host of a public URL may contain a placeholder for the region, so it is not a valid URL yet. */
function parseOrigin(address: string): string {
  if (URL.canParse(address) && !address.includes('{')) return new URL(address).origin;
  return /^[a-z]+:\/\/[^/]+/i.exec(address)?.[0].toLowerCase() ?? address;
}

/**
 * Returns the last four characters of a credential. Returns null for a credential of fewer than 16 characters,
 * because the hint would reveal too much of it.
 */
export function createCredentialHint(secret: string): string | null {
  return secret.length < 16 ? null : secret.slice(-4);
}
