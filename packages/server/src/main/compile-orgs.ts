import type { OrgConfig, ProviderConfig } from '@floe/contract/config';
import type { ServerEnvironment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { type CompiledCatalogs, compileCatalogs } from '../gateway/compile-catalogs.ts';
import type { OrgCatalog } from '../gateway/org-catalog.ts';
import { precompilePolicyConditions } from '../guardrails/policies/policies.ts';
import {
  loadStoredLimitsAndBudgets,
  type StoredLimitsAndBudgets,
} from '../guardrails/stored-limits-and-budgets.ts';
import { usesDefaultOrigin } from '../platform/config/provider-secrets.ts';
import {
  type IsSetInConfigFile,
  loadStoredConfig,
  mergeConfig,
  type StoredConfig,
} from '../platform/config/stored-config.ts';
import type { UnusableResource } from '../platform/config/unusable-resources.ts';
import type { StoredRelayRule } from '../relay/relay-config-registry.ts';
import {
  type LoadedRelayRules,
  loadStoredRelayRules,
  precompileRelayRules,
} from '../relay/stored-relay-rules.ts';
import { getCachePurgeCountsByOrg } from '../store/cache-purges.ts';
import type { Database } from '../store/store-interfaces.ts';
import type { ServerComponents } from './server-components.ts';

/** An organization's configuration, prepared for use. Immutable. */
export interface CompiledOrg {
  /** floe.yaml merged with the API. Null if the organization has no configuration. */
  readonly config: OrgConfig | null;
  /** The providers in `config` that were created with the API. */
  readonly apiProviders: ReadonlySet<ProviderConfig>;
  /** Whether the database has a row of the organization. */
  readonly isStored: boolean;
  /** The time zone that was set with the API. floe.yaml sets that of its organizations. */
  readonly timezone: string;
  readonly catalog: OrgCatalog | null;
  readonly relayRules: readonly StoredRelayRule[];
  /** Origins of its providers of floe.yaml, and of their proxies. */
  readonly namedOrigins: readonly string[];
  /** Providers that cannot be used, as `org/provider`. */
  readonly unusableProviders: CompiledCatalogs['unusable'];
  /** Other stored resources that this release cannot read, as `org/kind/id`. */
  readonly unusableResources: readonly UnusableResource[];
  readonly unsupportedSettings: CompiledCatalogs['unsupportedSettings'];
}

export interface OrgCompilationDependencies extends Pick<ServerComponents, 'secretsKey' | 'prices'> {
  readonly database: Pick<Database, 'read'>;
  readonly environment: Pick<ServerEnvironment, 'variable'>;
}

/** The data that the catalogs of all organizations depend on. */
export interface OrgCompilationContext {
  readonly file: LoadedConfig;
  /** The organization that gets the providers of the environment. Null if floe.yaml defines all. */
  readonly environmentOrg: string | null;
  /** Whether the installation has only one organization. */
  readonly isOnly: boolean;
  readonly sets: IsSetInConfigFile;
}

/** Their rows are read together. */
const ORGS_PER_QUERY = 10;

interface StoredOrgs {
  readonly config: StoredConfig;
  readonly rules: StoredLimitsAndBudgets;
  readonly relayRules: LoadedRelayRules;
  readonly purges: ReadonlyMap<string, number>;
}

/**
 * Loads and compiles organizations. Reads only their rows. Between two organizations, the event loop
 * serves requests.
 */
export async function compileOrgs(
  ids: readonly string[],
  context: OrgCompilationContext,
  parts: OrgCompilationDependencies,
): Promise<Map<string, CompiledOrg>> {
  const compiled = new Map<string, CompiledOrg>();
  if (ids.length === 0) return compiled;
  const fileOrgs = new Map(context.file.config.orgs.map((org) => [org.id, org]));
  const turns = new EventLoopYielder();
  const { database, secretsKey } = parts;
  const purges = await getCachePurgeCountsByOrg(database.read);
  for (let at = 0; at < ids.length; at += ORGS_PER_QUERY) {
    const some = ids.slice(at, at + ORGS_PER_QUERY);
    const [config, rules, relayRules] = await Promise.all([
      loadStoredConfig(database.read, secretsKey, some),
      loadStoredLimitsAndBudgets(database.read, some),
      loadStoredRelayRules(database.read, some),
    ]);
    await turns.endStep();
    for (const id of some) {
      const stored = { config, rules, relayRules, purges };
      const policies = [fileOrgs.get(id), config.orgs.get(id)].flatMap((org) => org?.policies ?? []);
      await precompilePolicyConditions(policies, () => turns.endStep());
      const storedRelayRules = (relayRules.byOrg.get(id) ?? []).map((rule) => rule.config);
      const ownRelayRules = [...(fileOrgs.get(id)?.relay.rules ?? []), ...storedRelayRules];
      await precompileRelayRules(ownRelayRules, () => turns.endStep());
      compiled.set(id, compileOrg(id, fileOrgs.get(id), { stored, context, parts }));
      await turns.endStep();
    }
  }
  return compiled;
}

function compileOrg(
  id: string,
  fileOrg: OrgConfig | undefined,
  {
    stored,
    context,
    parts,
  }: {
    readonly stored: StoredOrgs;
    readonly context: OrgCompilationContext;
    readonly parts: OrgCompilationDependencies;
  },
): CompiledOrg {
  const { environment, prices } = parts;
  const own = stored.config.orgs.get(id);
  const environmentOrg = context.environmentOrg === id ? id : null;
  const merged = mergeConfig(
    fileOrg ? [fileOrg] : [],
    context.sets,
    { orgs: new Map(own ? [[id, own]] : []), unusable: [] },
    context.environmentOrg,
  );
  const mayBorrow = (config: ProviderConfig) =>
    !merged.apiProviders.has(config) || (context.isOnly && usesDefaultOrigin(config));
  const unreadable = listUnreadable(id, stored);
  const unreadableProviders = new Set(unreadable.providers.map((provider) => provider.id));
  const { catalogs, unusable, unsupportedSettings } = compileCatalogs(
    merged.orgs,
    environmentOrg,
    {
      lookupVariable: environment.variable,
      outbound: context.file.config.outbound,
      mayUseMachineCredentials: mayBorrow,
    },
    { prices, stored: stored.rules, purges: stored.purges, unreadableProviders },
  );
  const [config = null] = merged.orgs;
  const catalog = catalogs.get(id) ?? null;
  return {
    config,
    apiProviders: merged.apiProviders,
    isStored: own !== undefined,
    timezone: own?.timezone ?? 'UTC',
    catalog,
    relayRules: stored.relayRules.byOrg.get(id) ?? [],
    namedOrigins: catalog ? listNamedOrigins(catalog, merged.apiProviders) : [],
    unusableProviders: [...unreadable.providers, ...unusable],
    unusableResources: unreadable.others,
    unsupportedSettings,
  };
}

/** Returns the stored resources of an organization that this release cannot read. */
function listUnreadable(orgId: string, { config, rules, relayRules }: StoredOrgs) {
  const providerPrefix = `${orgId}/providers/`;
  const own = [...config.unusable, ...rules.unusable, ...relayRules.unusable].filter(({ id }) =>
    id.startsWith(`${orgId}/`),
  );
  return {
    providers: own
      .filter(({ id }) => id.startsWith(providerPrefix))
      .map(({ id, reason }) => ({ id: `${orgId}/${id.slice(providerPrefix.length)}`, reason })),
    others: own.filter(({ id }) => !id.startsWith(providerPrefix)),
  };
}

/** Origins of providers from the API are checked like any other address. */
function listNamedOrigins({ providers }: OrgCatalog, apiProviders: ReadonlySet<ProviderConfig>): string[] {
  const fromApi = new Set([...apiProviders].map(({ id }) => id));
  return [...providers.values()]
    .filter(({ id }) => !fromApi.has(id))
    .flatMap(({ origin, via }) => [origin, via?.proxy?.origin ?? []].flat());
}
