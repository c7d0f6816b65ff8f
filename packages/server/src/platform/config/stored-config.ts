import type { OrgConfig, PolicyConfig, ProviderConfig, RouteConfig } from '@floe/contract/config';
import { PolicySchema } from '@floe/contract/config/guardrails';
import { OrgSchema } from '@floe/contract/config/org';
import { ProviderSchema } from '@floe/contract/config/providers';
import { RouteSchema } from '@floe/contract/config/routing';
import { isObject, type JsonObject } from '@floe/contract/json';
import { allCredentials, allEntries, type CredentialRow, type EntryRow } from '../../store/config-entries.ts';
import { allOrgs } from '../../store/orgs.ts';
import type { Reader } from '../../store/ports.ts';
import { openSecret, type SecretsKey, SecretUnreadable } from '../secrets.ts';
import { credentialPlace, joinProvider, openProviderSecrets, originOf } from './provider-secrets.ts';
import { settingsOf } from './sections.ts';

/** What the API made of an org, in the form of floe.yaml. */
export interface StoredOrg {
  readonly name: string;
  readonly timezone: string;
  readonly providers: readonly ProviderConfig[];
  readonly routes: readonly RouteConfig[];
  readonly policies: readonly PolicyConfig[];
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface StoredConfig {
  readonly orgs: ReadonlyMap<string, StoredOrg>;
  /** Entries that this program or this key cannot read, as `org/entry`, and why: they are left out. */
  readonly unusable: readonly { readonly id: string; readonly reason: string }[];
}

export const NO_STORED_CONFIG: StoredConfig = { orgs: new Map(), unusable: [] };

/** Everything the API made, for the snapshot. What stands in floe.yaml is not in it. */
export async function loadStoredConfig(reader: Reader, key: SecretsKey): Promise<StoredConfig> {
  const [orgs, entries, credentials] = await Promise.all([
    allOrgs(reader),
    allEntries(reader),
    allCredentials(reader),
  ]);
  const unusable: { id: string; reason: string }[] = [];
  const read = <Config>(row: EntryRow, open: (row: EntryRow) => Config): Config[] => {
    try {
      return [open(row)];
    } catch (error) {
      const reason = error instanceof SecretUnreadable ? error.message : 'It is not valid in this release.';
      unusable.push({ id: `${row.org_id}/${row.kind}/${row.id}`, reason });
      return [];
    }
  };
  const stored = new Map<string, StoredOrg>();
  for (const { id, name, timezone } of orgs) {
    const own = entries.filter((row) => row.org_id === id && row.source === 'console');
    const of = (kind: string) => own.filter((row) => row.kind === kind);
    const keys = credentials.filter((row) => row.org_id === id);
    stored.set(id, {
      name,
      timezone: timezone ?? 'UTC',
      providers: of('providers').flatMap((row) => read(row, () => openProvider(row, keys, key))),
      routes: of('routes').flatMap((row) => read(row, routeOf)),
      policies: of('policies').flatMap((row) => read(row, policyOf)),
      settings: Object.fromEntries(of('settings').map((row) => [row.id, parsed(row)['value']])),
    });
  }
  return { orgs: stored, unusable };
}

/** A stored entry was checked when it was written; the schema fills in what a later release added. */
export function routeOf(row: EntryRow): RouteConfig {
  return RouteSchema.parse(parsed(row));
}

export function policyOf(row: EntryRow): PolicyConfig {
  return PolicySchema.parse(parsed(row));
}

/**
 * A provider with its secrets. A key that was given for another address is not among them.
 *
 * @throws SecretUnreadable
 */
export function openProvider(
  row: EntryRow,
  credentials: readonly CredentialRow[],
  key: SecretsKey,
): ProviderConfig {
  const config = ProviderSchema.parse(joinProvider(parsed(row), openProviderSecrets(row, key)));
  const origin = originOf(config);
  return {
    ...config,
    credentials: credentials
      .filter((one) => one.provider_id === row.id && one.origin === origin)
      .map((one) => ({
        name: one.name,
        api_key: openSecret(one.sealed, credentialPlace(one, one.version), key),
        weight: one.weight,
      })),
  };
}

/** What a row says; a row is written by this program, so anything but an object is damage. */
export function parsed(row: Pick<EntryRow, 'entry_json'>): JsonObject {
  const value: unknown = JSON.parse(row.entry_json);
  if (!isObject(value)) throw new Error('an entry of the configuration is no object');
  return value;
}

/** The org of a first start without a file. */
export const FIRST_ORG = 'default';

/** Whether floe.yaml sets a field of an org itself. */
export type SetsField = (orgId: string, section: string) => boolean;

export interface MergedConfig {
  readonly orgs: readonly OrgConfig[];
  /** Those of `orgs[].providers` that the API made. */
  readonly made: ReadonlySet<ProviderConfig>;
  /** Orgs that share the installation, those without any configuration among them. */
  readonly orgCount: number;
}

/**
 * What is in force: floe.yaml and what the API made, in one form. The file wins where both say something.
 * Orgs that neither says anything about are left out, but for `defaultOrg`.
 */
export function mergeConfig(
  file: readonly OrgConfig[],
  sets: SetsField,
  stored: StoredConfig,
  defaultOrg: string | null,
): MergedConfig {
  const made = new Set<ProviderConfig>();
  const merge = (base: OrgConfig, own: StoredOrg | undefined): OrgConfig => {
    if (own === undefined || isEmpty(own)) return base;
    const providers = without(own.providers, base.providers, ({ id }) => id);
    for (const config of providers) made.add(config);
    const over = Object.entries(own.settings).filter(([section]) => !sets(base.id, section));
    const settings = settingsOf(base, Object.fromEntries(over));
    return {
      ...base,
      ...settings,
      relay: { ...settings.relay, rules: base.relay.rules },
      providers: [...base.providers, ...providers],
      routes: [...base.routes, ...without(own.routes, base.routes, ({ model }) => model)],
      policies: [...base.policies, ...without(own.policies, base.policies, ({ name }) => name)],
    };
  };
  const orgs = file.map((org) => merge(org, stored.orgs.get(org.id)));
  for (const [id, own] of stored.orgs)
    if (!file.some((org) => org.id === id) && (id === defaultOrg || !isEmpty(own)))
      orgs.push(merge(OrgSchema.parse({ id, name: own.name, timezone: own.timezone }), own));
  const others = [...stored.orgs.keys()].filter(
    // What a first start made before there was a file is the same operator's.
    (id) => !file.some((org) => org.id === id) && (file.length === 0 || id !== FIRST_ORG),
  );
  return { orgs, made, orgCount: file.length + others.length };
}

function isEmpty({ providers, routes, policies, settings }: StoredOrg): boolean {
  return providers.length + routes.length + policies.length + Object.keys(settings).length === 0;
}

function without<Entry>(
  entries: readonly Entry[],
  others: readonly Entry[],
  nameOf: (entry: Entry) => string,
): Entry[] {
  const taken = new Set(others.map(nameOf));
  return entries.filter((entry) => !taken.has(nameOf(entry)));
}
