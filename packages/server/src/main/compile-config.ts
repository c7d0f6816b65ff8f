import type { ProviderConfig } from '@floe/contract/config';
import type { LoadedConfig } from '../config/load-config.ts';
import { type CompiledCatalogs, compileCatalogs } from '../gateway/compile-catalogs.ts';
import type { GatewaySnapshot } from '../gateway/gateway.ts';
import { loadStoredRules } from '../guardrails/stored-rules.ts';
import { usesDefaultOrigin } from '../platform/config/provider-secrets.ts';
import {
  DEFAULT_ORG_ID,
  type IsSetInFile,
  loadStoredConfig,
  type MergedConfig,
  mergeConfig,
} from '../platform/config/stored-config.ts';
import { getCachePurgeCounts } from '../store/cache-purges.ts';
import type { ServerComponents } from './server-components.ts';

/** Which settings the file gives itself. */
export function createIsSetInFile({ config, sets }: LoadedConfig): IsSetInFile {
  return (orgId, section) => sets(['orgs', config.orgs.findIndex(({ id }) => id === orgId), section]);
}

/** What is in force of the configuration. */
export interface EffectiveConfig extends MergedConfig {
  /** Providers that are left out, as `org/provider`, and what each lacks. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Where providers go that the operator named: what the API made is judged like any other address. */
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
  /** What cannot be used, and why. */
  readonly unusableProviders: CompiledCatalogs['unusable'];
  /** Addresses that the operator named by the short forms of the file. */
  readonly namedOrigins: readonly string[];
}

/** Puts floe.yaml and what the API made together and compiles both the same way. */
export async function compileConfig(
  file: LoadedConfig,
  parts: Pick<ServerComponents, 'database' | 'secretsKey' | 'environment' | 'prices'>,
): Promise<CompiledConfig> {
  const { database, secretsKey, environment, prices } = parts;
  const { orgs, outbound } = file.config;
  const environmentOrg = orgs.length === 0 ? DEFAULT_ORG_ID : null;
  const stored = await loadStoredConfig(database.read, secretsKey);
  const merged = mergeConfig(orgs, createIsSetInFile(file), stored, environmentOrg);
  const isOnly = merged.orgCount <= 1;
  const mayBorrow = (config: ProviderConfig) =>
    !merged.apiProviders.has(config) || (isOnly && usesDefaultOrigin(config));
  const { catalogs, unusable, unsupportedSettings } = compileCatalogs(
    merged.orgs,
    environmentOrg,
    { lookupVariable: environment.variable, outbound, mayUseMachineCredentials: mayBorrow },
    {
      prices,
      stored: await loadStoredRules(database.read),
      purges: await getCachePurgeCounts(database.read),
    },
  );
  const leftOut = [...stored.unusable, ...unusable];
  return {
    ...merged,
    catalogs,
    unsupportedSettings,
    unusableProviders: leftOut,
    namedOrigins: namedOrigins(merged, catalogs),
  };
}
