import type { OrgConfig, PolicyConfig, ProviderConfig, RouteConfig } from '@floe/contract/config';
import { PolicySchema } from '@floe/contract/config/limits-cache-policies';
import { OrgSchema } from '@floe/contract/config/org';
import { ProviderSchema } from '@floe/contract/config/providers';
import { RouteSchema } from '@floe/contract/config/routing';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import {
  type ConfigEntryRow,
  listAllConfigEntries,
  listAllProviderCredentials,
  type ProviderCredentialRow,
} from '../../store/config-entries.ts';
import { listOrgs } from '../../store/orgs.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type { SecretEncryptionKey } from '../secrets.ts';
import {
  decryptProviderCredential,
  decryptProviderSecrets,
  getProviderOrigin,
  joinProviderSecrets,
} from './provider-secrets.ts';
import { mergeOrgSettings } from './settings-sections.ts';
import { type UnusableResource, UnusableResourceCollector } from './unusable-resources.ts';

/** An organization's resources that were created with the API, in the format of floe.yaml. */
export interface StoredOrgConfig {
  readonly name: string;
  readonly timezone: string;
  readonly providers: readonly ProviderConfig[];
  readonly routes: readonly RouteConfig[];
  readonly policies: readonly PolicyConfig[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The resources that were created with the API, by organization. */
export interface StoredConfig {
  readonly orgs: ReadonlyMap<string, StoredOrgConfig>;
  /**
   * The entries that cannot be read by this release or decrypted with the configured keys. They are not in
   * `orgs`.
   */
  readonly unusable: readonly UnusableResource[];
}

/**
 * Loads the resources that were created with the API, for the snapshot. Loads them for all
 * organizations, or only for the given ones. Does not include resources from floe.yaml.
 */
export async function loadStoredConfig(
  reader: DatabaseReader,
  key: SecretEncryptionKey,
  orgIds?: readonly string[],
): Promise<StoredConfig> {
  const [orgs, entries, credentials] = await Promise.all([
    listOrgs(reader, orgIds),
    listAllConfigEntries(reader, undefined, orgIds),
    listAllProviderCredentials(reader, orgIds),
  ]);
  const unusable = new UnusableResourceCollector();
  const read = <Config>(row: ConfigEntryRow, open: (row: ConfigEntryRow) => Config): Config[] =>
    unusable.read(`${row.org_id}/${row.kind}/${row.id}`, () => open(row));
  const stored = new Map<string, StoredOrgConfig>();
  for (const { id, name, timezone } of orgs) {
    const own = entries.filter((row) => row.org_id === id && row.source === 'console');
    const of = (kind: string) => own.filter((row) => row.kind === kind);
    const keys = credentials.filter((row) => row.org_id === id);
    stored.set(id, {
      name,
      timezone: timezone ?? 'UTC',
      providers: of('providers').flatMap((row) => read(row, () => decryptStoredProvider(row, keys, key))),
      routes: of('routes').flatMap((row) => read(row, parseStoredRoute)),
      policies: of('policies').flatMap((row) => read(row, parseStoredPolicy)),
      settings: Object.fromEntries(
        of('settings').map((row) => [row.id, parseStoredConfigEntry(row)['value']]),
      ),
    });
  }
  return { orgs: stored, unusable: unusable.found };
}

/**
 * Parses a stored route. Entries are validated when they are stored. The schema adds the defaults
 * of fields that later releases introduced.
 */
export function parseStoredRoute(row: ConfigEntryRow): RouteConfig {
  return RouteSchema.parse(parseStoredConfigEntry(row));
}

/** Parses a stored policy, in the same way as `parseStoredRoute` parses a route. */
export function parseStoredPolicy(row: ConfigEntryRow): PolicyConfig {
  return PolicySchema.parse(parseStoredConfigEntry(row));
}

/**
 * Decrypts a stored provider. Omits credentials that were created for another base URL.
 *
 * @throws UnreadableSecretError if a secret cannot be decrypted
 */
export function decryptStoredProvider(
  row: ConfigEntryRow,
  credentials: readonly ProviderCredentialRow[],
  key: SecretEncryptionKey,
): ProviderConfig {
  const config = ProviderSchema.parse(
    joinProviderSecrets(parseStoredConfigEntry(row), decryptProviderSecrets(row, key)),
  );
  const origin = getProviderOrigin(config);
  return {
    ...config,
    credentials: credentials
      .filter((one) => one.provider_id === row.id && one.origin === origin)
      .map((one) => ({
        name: one.name,
        api_key: decryptProviderCredential(one, key),
        weight: one.weight,
      })),
  };
}

/**
 * Parses the JSON in a config entry row. Floe writes only objects, so any other value means that the data is
 * corrupt.
 */
export function parseStoredConfigEntry(row: Pick<ConfigEntryRow, 'entry_json'>): JsonObject {
  const value: unknown = JSON.parse(row.entry_json);
  if (!isJsonObject(value)) throw new Error('a configuration entry is not an object');
  return value;
}

/** The id of the organization that Floe creates at the first start if no floe.yaml exists. */
export const DEFAULT_ORG_ID = 'default';

/** Returns whether floe.yaml sets a section of an organization. */
export type IsSetInConfigFile = (orgId: string, section: string) => boolean;

/** The configuration of all organizations, from floe.yaml and from the API. */
export interface MergedConfig {
  readonly orgs: readonly OrgConfig[];
  /** The providers in `orgs[].providers` that were created with the API. */
  readonly apiProviders: ReadonlySet<ProviderConfig>;
}

/**
 * Merges floe.yaml with the resources that were created with the API. If both set a value,
 * floe.yaml takes precedence. Omits organizations without any configuration, except `defaultOrg`.
 */
export function mergeConfig(
  file: readonly OrgConfig[],
  sets: IsSetInConfigFile,
  stored: StoredConfig,
  defaultOrg: string | null,
): MergedConfig {
  const made = new Set<ProviderConfig>();
  const merge = (base: OrgConfig, own: StoredOrgConfig | undefined): OrgConfig => {
    if (own === undefined || isEmpty(own)) return base;
    const providers = excludeByName(own.providers, base.providers, ({ id }) => id);
    for (const config of providers) made.add(config);
    const over = Object.entries(own.settings).filter(([section]) => !sets(base.id, section));
    const settings = mergeOrgSettings(base, Object.fromEntries(over));
    return {
      ...base,
      ...settings,
      relay: { ...settings.relay, rules: base.relay.rules },
      providers: [...base.providers, ...providers],
      routes: [...base.routes, ...excludeByName(own.routes, base.routes, ({ model }) => model)],
      policies: [...base.policies, ...excludeByName(own.policies, base.policies, ({ name }) => name)],
    };
  };
  const orgs = file.map((org) => merge(org, stored.orgs.get(org.id)));
  for (const [id, own] of stored.orgs)
    if (!file.some((org) => org.id === id) && (id === defaultOrg || !isEmpty(own)))
      orgs.push(merge(OrgSchema.parse({ id, name: own.name, timezone: own.timezone }), own));
  return { orgs, apiProviders: made };
}

function isEmpty({ providers, routes, policies, settings }: StoredOrgConfig): boolean {
  return providers.length + routes.length + policies.length + Object.keys(settings).length === 0;
}

function excludeByName<Entry>(
  entries: readonly Entry[],
  others: readonly Entry[],
  nameOf: (entry: Entry) => string,
): Entry[] {
  const taken = new Set(others.map(nameOf));
  return entries.filter((entry) => !taken.has(nameOf(entry)));
}
