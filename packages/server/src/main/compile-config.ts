import type { ProviderConfig } from '@floe/contract/config';
import type { LoadedConfig } from '../config/load-config.ts';
import { type CompiledCatalogs, compileCatalogs } from '../gateway/compile-catalogs.ts';
import type { GatewaySnapshot } from '../gateway/gateway.ts';
import { loadStoredGuardrailRules } from '../guardrails/stored-rules.ts';
import { usesDefaultOrigin } from '../platform/config/provider-secrets.ts';
import {
  DEFAULT_ORG_ID,
  type IsSetInConfigFile,
  loadStoredConfig,
  type MergedConfig,
  mergeConfig,
} from '../platform/config/stored-config.ts';
import type { UnusableResource } from '../platform/config/unusable-resources.ts';
import { getCachePurgeCounts } from '../store/cache-purges.ts';
import type { ServerComponents } from './server-components.ts';

/** Returns a function that tells whether the file sets an organization's section. */
export function createConfigSectionChecker({ config, sets }: LoadedConfig): IsSetInConfigFile {
  return (orgId, section) => sets(['orgs', config.orgs.findIndex(({ id }) => id === orgId), section]);
}

/** The configuration in use: floe.yaml merged with the resources that were created with the API. */
export interface EffectiveConfig extends MergedConfig {
  /** Why a provider is unusable, by `org/provider`. */
  readonly problems: ReadonlyMap<string, string>;
}

/**
 * Origins of the providers in the file and of their proxies. Origins of providers from the API are checked
 * like any other address.
 */
function namedOrigins({ orgs, apiProviders }: MergedConfig, catalogs: GatewaySnapshot['catalogs']): string[] {
  const isMade = (orgId: string, providerId: string) =>
    orgs.some(
      ({ id, providers }) =>
        id === orgId && providers.some((one) => one.id === providerId && apiProviders.has(one)),
    );
  return [...catalogs].flatMap(([orgId, { providers }]) =>
    [...providers.values()]
      .filter(({ id }) => !isMade(orgId, id))
      .flatMap(({ origin, via }) => [origin, via?.proxy?.origin ?? []].flat()),
  );
}

export interface CompiledConfig
  extends MergedConfig,
    Pick<CompiledCatalogs, 'catalogs' | 'unsupportedSettings'> {
  /** Providers that cannot be used, with the reason. */
  readonly unusableProviders: CompiledCatalogs['unusable'];
  /** Stored policies, limits and budgets that this release cannot read. */
  readonly unusableRules: readonly UnusableResource[];
  /** Origins of the providers of floe.yaml and of their proxies. */
  readonly namedOrigins: readonly string[];
}

/**
 * Merges floe.yaml with the resources that were created with the API, and prepares the result for
 * use.
 */
export async function compileConfig(
  file: LoadedConfig,
  parts: Pick<ServerComponents, 'database' | 'secretsKey' | 'environment' | 'prices'>,
): Promise<CompiledConfig> {
  const { database, secretsKey, environment, prices } = parts;
  const { orgs, outbound } = file.config;
  const environmentOrg = orgs.length === 0 ? DEFAULT_ORG_ID : null;
  const stored = await loadStoredConfig(database.read, secretsKey);
  const merged = mergeConfig(orgs, createConfigSectionChecker(file), stored, environmentOrg);
  const isOnly = merged.orgCount <= 1;
  const mayBorrow = (config: ProviderConfig) =>
    !merged.apiProviders.has(config) || (isOnly && usesDefaultOrigin(config));
  const rules = await loadStoredGuardrailRules(database.read);
  const { catalogs, unusable, unsupportedSettings } = compileCatalogs(
    merged.orgs,
    environmentOrg,
    { lookupVariable: environment.variable, outbound, mayUseMachineCredentials: mayBorrow },
    {
      prices,
      stored: rules,
      purges: await getCachePurgeCounts(database.read),
    },
  );
  const isPolicy = ({ id }: UnusableResource) => id.includes('/policies/');
  return {
    ...merged,
    catalogs,
    unsupportedSettings,
    unusableProviders: [...stored.unusable.filter((one) => !isPolicy(one)), ...unusable],
    unusableRules: [...stored.unusable.filter(isPolicy), ...rules.unusable],
    namedOrigins: namedOrigins(merged, catalogs),
  };
}
